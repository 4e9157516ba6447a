# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table that compares the blocks of both sides."""

from dataclasses import dataclass
from statistics import median

HEADER = (
    f"{'network':<27} {'m':>3}  {'ours':>9}  {'theirs':>9}  {'time':>5}  {'of blocks':>11}"
    f"  {'ours':>8}  {'theirs':>8}  {'memory':>6}"
)


@dataclass(frozen=True)
class StepBlock:
    """Consecutive steps: forward and backward of each, and the time of the optimizer step after them."""

    step_seconds: list[float]
    # Peak bytes of tensors, including parameters and optimizer state.
    peak_bytes: int
    # Reasons of the measuring side to distrust the measurement.
    flags: list[str]


@dataclass(frozen=True)
class Row:
    """One network at one micro-batch size, in alternating blocks of both sides."""

    network: str
    micro_batch_size: int
    ours: list[StepBlock]
    theirs: list[StepBlock]

    def time_ratio(self) -> float:
        return _median_seconds(self.ours) / _median_seconds(self.theirs)

    def memory_ratio(self) -> float:
        return _peak(self.ours) / _peak(self.theirs)

    def text(self) -> str:
        ratios = [
            median(ours.step_seconds) / median(theirs.step_seconds)
            for ours, theirs in zip(self.ours, self.theirs, strict=True)
        ]
        disturbed = sum(bool(block.flags) for block in self.ours)
        return (
            f"{self.network:<27} {self.micro_batch_size:>3}"
            f"  {1000 * _median_seconds(self.ours):>6.1f} ms  {1000 * _median_seconds(self.theirs):>6.1f} ms"
            f"  {self.time_ratio():>5.2f}  {min(ratios):>4.2f}..{max(ratios):<4.2f}"
            f"  {_peak(self.ours) / 2**20:>4.0f} MiB  {_peak(self.theirs) / 2**20:>4.0f} MiB"
            f"  {self.memory_ratio():>6.2f}"
            + (f"  disturbed in {disturbed} of {len(self.ours)} blocks" if disturbed else "")
        )


def summary(rows: list[Row]) -> str:
    slower = [row for row in rows if row.time_ratio() > 1]
    worst = max(rows, key=Row.time_ratio)
    hungriest = max(rows, key=Row.memory_ratio)
    return (
        f"{len(rows) - len(slower)} of {len(rows)} rows take no more time than theirs;"
        f" the worst ratio of time is {worst.time_ratio():.2f}"
        f" ({worst.network} at {worst.micro_batch_size}),"
        f" of memory {hungriest.memory_ratio():.2f}"
        f" ({hungriest.network} at {hungriest.micro_batch_size})."
    )


def _median_seconds(blocks: list[StepBlock]) -> float:
    return median(seconds for block in blocks for seconds in block.step_seconds)


def _peak(blocks: list[StepBlock]) -> int:
    return max(block.peak_bytes for block in blocks)
