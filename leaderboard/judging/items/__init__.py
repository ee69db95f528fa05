"""What every submission is asked: made of dialogues, carried over, reviewed."""
