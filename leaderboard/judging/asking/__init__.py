"""One call on its way: claimed, paid for, asked, checked, kept."""
