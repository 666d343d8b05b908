"""How many threads a local model should use now.

The threads of llama.cpp wait for one another some hundred times a token, and wait by spinning. One that has to share its
core holds up all the others: on two cores with other work, two threads were measured seven times slower than one.
"""

from __future__ import annotations

import os
import statistics
import time
from pathlib import Path
from typing import Final

__all__ = ["idle_cores"]

_LOAD: Final = Path("/proc/loadavg")
_SAMPLES: Final = 5
_PAUSE: Final = 0.004


def idle_cores(load: Path = _LOAD) -> int:
    """Return how many cores this process may use and nobody else is using at this moment; at least 1.

    Where the system does not tell what is running (anywhere but on Linux), all cores count as idle.
    """
    ours = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    every = os.cpu_count() or ours
    running = []
    for _ in range(_SAMPLES):
        try:
            running.append(int(load.read_text(encoding="ascii").split()[3].partition("/")[0]))
        except (OSError, ValueError, IndexError):
            return ours
        time.sleep(_PAUSE)
    others = round(statistics.median(running)) - 1  # the one that reads this is running too
    return max(1, min(ours, every - others))
