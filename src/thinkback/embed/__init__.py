"""Adapters that turn texts into vectors, one a file, and their test double."""
