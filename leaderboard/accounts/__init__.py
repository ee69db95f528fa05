"""Who somebody is: sign-in and language."""
