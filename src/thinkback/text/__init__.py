"""Files to documents, documents to chunks with exact offsets, and the prompts."""
