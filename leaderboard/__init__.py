"""The Django project and its apps. docs/architecture.md says what lies where."""

__version__ = "0.1.0"
