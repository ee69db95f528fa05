"""Django's SQLite, which asks one thing of every new connection that it may not wait for."""
