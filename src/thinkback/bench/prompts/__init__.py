"""The prompts that all systems of the bench write with; one text file each, read by ``thinkback.text.prompts``."""
