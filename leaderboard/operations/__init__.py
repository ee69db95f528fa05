"""What an operator needs: health, logs, start-up checks, the launcher."""
