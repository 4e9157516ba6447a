# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a config states about batches, according to Batchpeak and to its trainer."""

from dataclasses import dataclass
from typing import Any, Optional


@dataclass(frozen=True)
class Batches:
    """Batches of one optimizer step, or of evaluation, which has only a micro-batch. None if not stated."""

    micro_batch_size: Optional[int]
    accumulation_steps: Optional[int] = None
    global_batch_size: Optional[int] = None

    def __str__(self) -> str:
        if self.accumulation_steps is None:
            return f"micro-batch {self.micro_batch_size}"
        return (
            f"micro-batch {self.micro_batch_size}, {self.accumulation_steps} steps, batch {self.global_batch_size}"
        )


@dataclass(frozen=True)
class Request:
    """A text for a trainer to read. `origin` is the config that it was made from, since a trainer may need files next
    to it, or its name; `devices` is the number of data-parallel processes to assume."""

    file: str
    origin: str
    phase: str
    devices: int


@dataclass(frozen=True)
class Answer:
    """Answer of a trainer to a text: its batches, or the sentence with which the trainer refused it."""

    batches: Optional[Batches] = None
    refusal: str = ""


def batches_of_plan(plan: dict[str, Any], phase: str) -> Batches:
    """Returns the batches of a plan that batchpeak-write-sizes has printed."""
    size = plan.get("micro_batch_size")
    if phase == "eval":
        return Batches(size)
    return Batches(size, plan.get("accumulation_steps"), plan["batch_size"])
