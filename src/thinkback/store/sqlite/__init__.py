"""The embedded store: one SQLite file is the only truth."""
