"""Pure functions from rankings to a packed context."""
