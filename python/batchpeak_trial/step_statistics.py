# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Statistics of step times, as batchpeak-worker computes them: core/trial/step_statistics.cpp."""

from __future__ import annotations

import math
from collections import defaultdict
from statistics import NormalDist

_FEWEST_WARMUP, _MOST_WARMUP, _STEADY_WITHIN, _WARMUP_SHARE = 2, 5, 0.03, 0.2
_WARM_AFTER_SECONDS = 2.0
_USUAL_DEVIATION = 0.01


def is_warm(seconds: list[float], time_limit: float) -> bool:
    """Returns whether the last two steps agree, or there is no more time to wait for that."""
    if len(seconds) < _FEWEST_WARMUP:
        return False
    if len(seconds) >= _MOST_WARMUP or sum(seconds) >= _WARMUP_SHARE * time_limit:
        return True
    settled = seconds[1:]
    if sum(settled) >= _WARM_AFTER_SECONDS:
        return True
    return len(settled) > 1 and abs(settled[-1] - settled[-2]) < _STEADY_WITHIN * min(settled[-2:])


def typical_seconds(seconds: list[float]) -> float | None:
    """Returns the mean without the fastest and slowest fifth; None if a time is not a positive number."""
    if not seconds or not all(math.isfinite(value) and value > 0 for value in seconds):
        return None
    dropped = max(len(seconds) // 5, 1 if len(seconds) >= 3 else 0)
    middle = sorted(seconds)[dropped : len(seconds) - dropped]
    return math.fsum(middle) / len(middle)


def relative_standard_error(seconds: list[float]) -> float | None:
    """Returns the relative standard error of typical_seconds(), from the range of the middle steps, so that one
    stall does not change it."""
    typical = typical_seconds(seconds)
    if typical is None or len(seconds) < 3:
        return None
    ordered, count = sorted(seconds), len(seconds)
    dropped = count // 5
    spread = (ordered[count - 1 - dropped] - ordered[dropped]) / typical
    position = (count - dropped - 0.375) / (count + 0.25)
    return spread / (2 * NormalDist().inv_cdf(position)) * math.sqrt(2 / count)


class RunScatter:
    """Estimates how far trials of one size differ from run to run, which the steps of one trial cannot show."""

    def __init__(self):
        self._logarithms = defaultdict(list)

    def add(self, size: int, seconds: float) -> None:
        self._logarithms[size].append(math.log(seconds))

    def relative_deviation(self) -> float:
        squares, freedom, repeated = _USUAL_DEVIATION**2, 1.0, False
        for logarithms in self._logarithms.values():
            mean = math.fsum(logarithms) / len(logarithms)
            squares += math.fsum((value - mean) ** 2 for value in logarithms)
            freedom += len(logarithms) - 1
            repeated = repeated or len(logarithms) > 1
        return math.sqrt(squares / freedom) if repeated else 0.0
