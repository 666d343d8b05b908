"""``python -m thinkback`` is the command line."""

import sys

from thinkback.app.cli.main import main

__all__: list[str] = []

if __name__ == "__main__":
    sys.exit(main())
