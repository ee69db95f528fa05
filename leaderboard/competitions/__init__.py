"""Competition, its schedule and rules, organizers' roles, data files."""
