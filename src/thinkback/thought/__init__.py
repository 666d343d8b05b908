"""What happens between an answer and the memory: distil, support, twins, levels, staleness. Mostly pure."""
