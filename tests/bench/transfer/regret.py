# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Computes the regret of the recommended size from the leads of other sizes, which were measured alternately."""

from __future__ import annotations

import math
from dataclasses import dataclass

_SURE_ERRORS, _SURE_LOSS = 4.0, 0.05


def rate(size: int, batch: int, seconds: float, optimizer_seconds: float) -> float:
    """Returns the samples/s of whole optimizer steps. A batch consists of micro-batches of this size, or of one if
    the size is larger than the batch."""
    return 1.0 / (seconds / size + optimizer_seconds / max(size, batch))


@dataclass(frozen=True)
class Lead:
    """Lead of a size over the recommended one, as a share: 0.01 is 1 % faster."""

    size: int
    mean: float
    standard_error: float


@dataclass(frozen=True)
class Regret:
    """Regret of the recommended size. best is the size with the largest lead, which is biased: among equally fast
    sizes, the luckiest one leads. share is not biased: one half of the visits chooses the best size, and the other
    half measures its lead."""

    best: Lead
    share: float


def lead_of(size: int, logarithms: list[float]) -> Lead:
    """Returns the lead of a size from log(rate / rate of the recommended size) of each visit."""
    count = len(logarithms)
    mean = sum(logarithms) / count
    variance = sum((value - mean) ** 2 for value in logarithms) / max(1, count - 1)
    return Lead(size, math.expm1(mean), math.sqrt(variance / count) if count > 1 else math.inf)


def may_lead(logarithms: list[float]) -> bool:
    """Returns False for a size that is certainly slower, so that further visits are of no use."""
    lead = lead_of(0, logarithms)
    return lead.mean + _SURE_ERRORS * lead.standard_error > -_SURE_LOSS


def regret_of(leads: dict[int, list[float]]) -> Regret:
    """Returns the regret from the logarithms of each size except the recommended one, in order of time; at least
    two for each."""
    best = max((lead_of(size, values) for size, values in leads.items()), key=lambda lead: lead.mean)
    return Regret(best, max(0.0, (_judged(leads, 0) + _judged(leads, 1)) / 2))


def _judged(leads: dict[int, list[float]], half: int) -> float:
    """Returns the lead, in the other half of the visits, of the size that is best in this half; 0 if that is the
    recommended size."""
    choosing = {size: _mean(values[half::2]) for size, values in leads.items()}
    size = max(choosing, key=lambda name: choosing[name])
    return math.expm1(_mean(leads[size][1 - half :: 2])) if choosing[size] > 0 else 0.0


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
