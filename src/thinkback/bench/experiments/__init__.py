"""Experiments: each one command, one table and one plot of the paper, or of ours."""
