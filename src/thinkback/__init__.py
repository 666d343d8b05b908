"""thinkback: answers from more text than a model can read, and remembers what it has understood."""

__version__ = "0.1.0"
