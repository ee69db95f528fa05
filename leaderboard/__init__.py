"""The house: the Django project and its rooms. CONTRIBUTING.md says where things go."""

__version__ = "0.1.0"
