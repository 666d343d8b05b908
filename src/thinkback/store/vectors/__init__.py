"""One-bit and eight-bit codes of vectors, and the search over them."""
