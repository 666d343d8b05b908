"""Builds AcademicEval from arXiv or from a folder of papers, and reads and writes its published layout."""
