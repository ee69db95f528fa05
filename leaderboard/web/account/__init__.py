"""Pages about oneself: signing in, settings, the inbox."""
