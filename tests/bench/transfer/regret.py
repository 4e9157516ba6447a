# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the recommended size loses beside others, of leads that were measured in turn with it."""

from __future__ import annotations

import math
from dataclasses import dataclass

_SURE_ERRORS, _SURE_LOSS = 4.0, 0.05


def rate(size: int, batch: int, seconds: float, optimizer_seconds: float) -> float:
    """Samples a second of whole optimizer steps: a batch is as many micro-batches as it takes, or one where
    the size is above it."""
    return 1.0 / (seconds / size + optimizer_seconds / max(size, batch))


@dataclass(frozen=True)
class Lead:
    """Of a size over the recommended one, as a share: .01 is 1 % faster."""

    size: int
    mean: float
    standard_error: float


@dataclass(frozen=True)
class Regret:
    """best is the size with the largest lead. Of several sizes that are all as fast the luckiest leads, so its
    lead is too large; chosen by one half of the visits and measured by the other it is not, and that is the
    share."""

    best: Lead
    share: float


def lead_of(size: int, logarithms: list[float]) -> Lead:
    """Of log(rate / rate of the recommended), one for each visit."""
    count = len(logarithms)
    mean = sum(logarithms) / count
    variance = sum((value - mean) ** 2 for value in logarithms) / max(1, count - 1)
    return Lead(size, math.expm1(mean), math.sqrt(variance / count) if count > 1 else math.inf)


def may_lead(logarithms: list[float]) -> bool:
    """False for a size that is slower beyond doubt, of which further visits tell nothing."""
    lead = lead_of(0, logarithms)
    return lead.mean + _SURE_ERRORS * lead.standard_error > -_SURE_LOSS


def regret_of(leads: dict[int, list[float]]) -> Regret:
    """Of each size but the recommended one its logarithms, in the order of time; two at least."""
    best = max((lead_of(size, values) for size, values in leads.items()), key=lambda lead: lead.mean)
    return Regret(best, max(0.0, (_judged(leads, 0) + _judged(leads, 1)) / 2))


def _judged(leads: dict[int, list[float]], half: int) -> float:
    """By the other half, of the best by this one; the recommended size leads itself by nothing."""
    choosing = {size: _mean(values[half::2]) for size, values in leads.items()}
    size = max(choosing, key=lambda name: choosing[name])
    return math.expm1(_mean(leads[size][1 - half :: 2])) if choosing[size] > 0 else 0.0


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
