"""The commands of `python -m scoring`: arguments, what each does, what is printed."""
