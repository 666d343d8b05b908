"""Run the benchmarks of speed and memory one after another; each writes its run record. `make bench` calls this.

    python benchmarks/run.py [NAME ...]

Those of quality (golden_report.py, retrieval_*.py) read data sets at THINKBACK_DATA and are run by name. BLAS gets one thread:
its idle ones spin, and would count as CPU time of what is measured.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SPEED = ("store_add", "store_open", "store_search", "store_words", "ask_overhead", "embed_ingest")
NEED_DATA = frozenset({"store_words", "store_search", "embed_ingest"})


def main(names: list[str]) -> int:
    """Run the named benchmarks, or those of speed; return 1 if one failed."""
    here = Path(__file__).parent
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    failed = []
    for name in names or SPEED:
        if not names and name in NEED_DATA and not environment.get("THINKBACK_DATA"):
            print(f"{name}: left out, THINKBACK_DATA names no folder of data sets")
            continue
        print(f"--- {name}", flush=True)
        if subprocess.run([sys.executable, str(here / f"{name}.py")], env=environment, check=False).returncode:
            failed.append(name)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
