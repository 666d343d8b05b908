"""The loop: the one place where retrieval, models, admission and the store meet."""
