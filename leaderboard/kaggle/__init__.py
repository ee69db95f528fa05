"""What the stock `kaggle` command asks a server for, so that it works here. With KAGGLE_FACADE=1.

Its protocol is not documented: this is what version 2.2.5 sends and reads; docs/kaggle.md says what
works. Each call is a POST of JSON, and its refusals are `{code, message}`; an unusable token,
uploads and downloads are answered by problems. Like the rest of the API it decides nothing.
"""
