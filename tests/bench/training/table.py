# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of the ways, in Markdown, for each config."""

from dataclasses import dataclass
from statistics import median

from .rounds import Achieved
from .ways import Found

HEADER = (
    "| way | micro-batch size | samples/s | times ours | out of memory | time until found | peak memory |\n"
    "|---|---:|---:|---:|---:|---:|---:|"
)


@dataclass(frozen=True)
class Row:
    way: str
    found: Found
    # None if no size was found.
    achieved: Achieved | None
    # None if this way or ours has no speed.
    ratio: float | None

    def text(self) -> str:
        cells = [
            self.way,
            str(self.found.size) if self.found.size else "none",
            f"{median(self.achieved.samples_per_second):.1f}" if self._has_speed() else self._why_not(),
            f"{self.ratio:.3f}" if self.ratio else "",
            str(self.found.out_of_memory),
            f"{self.found.seconds:.1f} s",
            f"{self.achieved.peak_bytes / 2**20:.0f} MiB" if self._has_speed() else "",
        ]
        return "| " + " | ".join(cells) + " |"

    def fields(self) -> dict:
        return {
            "way": self.way,
            "micro_batch_size": self.found.size,
            "samples_per_second": self.achieved.samples_per_second if self.achieved else [],
            "ratio_to_ours": self.ratio,
            "out_of_memory_events": self.found.out_of_memory,
            "seconds_until_found": self.found.seconds,
            "peak_reserved_bytes": self.achieved.peak_bytes if self.achieved else None,
        }

    def _has_speed(self) -> bool:
        return self.achieved is not None and not self.achieved.ran_out_of_memory

    def _why_not(self) -> str:
        return "ran out of memory" if self.achieved else ""


def rows(found: dict[str, Found], achieved: dict[int, Achieved], ours: str) -> list[Row]:
    best = achieved.get(found[ours].size)
    return [_row(way, one, achieved.get(one.size), best) for way, one in found.items()]


def _row(way: str, found: Found, achieved: Achieved | None, ours: Achieved | None) -> Row:
    has_both = all(one is not None and not one.ran_out_of_memory for one in (achieved, ours))
    return Row(way, found, achieved, achieved.ratio_to(ours) if has_both else None)
