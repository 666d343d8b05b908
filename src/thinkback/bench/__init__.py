"""The bench: data sets, systems, metrics and experiments that show where thoughts help and where they do not.

A run has three separate passes: generation (``run``), scoring (``score``) and the report (``report``). What passes between
them lies in a run folder (``folder``), so that each can be done again without the one before it.
"""
