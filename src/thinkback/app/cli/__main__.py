"""``python -m thinkback.app.cli``: the command line without its script."""

from __future__ import annotations

import sys

from thinkback.app.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
