"""Team and Membership; a single person is a team of one."""
