"""Adapters of language models, one a file, structured replies, limits, and the test double."""
