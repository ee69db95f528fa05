"""Views, one file a page: find the object for this person, read the form, act, redirect."""
