"""What participants take with them: one file, which `/cli` hands out and pip installs from here."""
