# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
from dataclasses import dataclass


@dataclass(frozen=True)
class StepBlock:
    """Whole steps that ran one after the other: forward, backward and optimizer."""

    step_seconds: list[float]
    # The most that tensors held at once, parameters and optimizer state included.
    peak_bytes: int
    # What the measuring side says against the measurement.
    flags: list[str]
