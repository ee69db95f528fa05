"""How far a column can be believed: people's labels, and the judge asked again."""
