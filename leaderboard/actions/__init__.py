"""Everything that can be done, one file a verb; one transaction each."""
