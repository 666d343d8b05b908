"""What the adapters of chat and of embedding endpoints have in common: connection, errors, waits and estimates."""
