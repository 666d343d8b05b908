"""Cut a reply at the first of some strings, whole or while it streams."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["StopCutter"]


class StopCutter:
    """Lets text through up to the first stop string, and holds back what may be the beginning of one."""

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = tuple(stop for stop in stops if stop)
        self._held = ""
        self.stopped = False
        """Whether a stop string came; nothing passes any more."""

    def feed(self, text: str) -> str:
        """Return what may be shown by now."""
        if self.stopped or not self._stops:
            return "" if self.stopped else text
        self._held += text
        ends = [at for at in map(self._held.find, self._stops) if at >= 0]
        if ends:
            self.stopped = True
            shown, self._held = self._held[: min(ends)], ""
            return shown
        keep = max(self._overlap(stop) for stop in self._stops)
        cut = len(self._held) - keep
        shown, self._held = self._held[:cut], self._held[cut:]
        return shown

    def finish(self) -> str:
        """Return what was held back, at the end."""
        held, self._held = self._held, ""
        return held

    def _overlap(self, stop: str) -> int:
        """Return the length of the longest end of the held text that begins ``stop``."""
        longest = min(len(stop) - 1, len(self._held))
        return next((size for size in range(longest, 0, -1) if self._held.endswith(stop[:size])), 0)
