"""Mails, webhook calls and alarms that wait to be sent, with the one loop that sends them."""
