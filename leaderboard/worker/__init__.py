"""The entry point for messages and time: Celery tasks and the sweeper."""
