"""Signs for organizers that something in a summary or in the judge is odd. They change no score."""
