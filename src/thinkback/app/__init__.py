"""The faces: the only places that know terminals, HTTP and HTML."""
