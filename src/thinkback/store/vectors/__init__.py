"""Vectors in memory: codes of one bit a dimension, the scan over them, exact products, and the check of what they find."""
