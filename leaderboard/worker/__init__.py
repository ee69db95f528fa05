"""The door for messages and time: Celery tasks and the sweeper."""
