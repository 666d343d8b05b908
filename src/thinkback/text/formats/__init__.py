"""One module a file format: bytes or text in, ``Content`` out."""
