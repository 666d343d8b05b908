"""Where everything is kept: one SQLite file, and an in-memory oracle to test it by."""
