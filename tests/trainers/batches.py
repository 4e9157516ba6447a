# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a config says of batches, as Batchpeak and as its trainer state it."""

from dataclasses import dataclass
from typing import Any, Optional


@dataclass(frozen=True)
class Batches:
    """Of one optimizer step, or of evaluation, which has a micro-batch alone. None where nothing is stated."""

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
    """A text that a trainer is to read. `origin` is the config that it was made from, for what lies beside it or is
    known by its name; `devices` are the data-parallel processes that are to be taken for running."""

    file: str
    origin: str
    phase: str
    devices: int


@dataclass(frozen=True)
class Answer:
    """What a trainer made of a text: batches, or the sentence with which it refused it."""

    batches: Optional[Batches] = None
    refusal: str = ""


def batches_of_plan(plan: dict[str, Any], phase: str) -> Batches:
    """The plan as batchpeak-write-sizes prints it."""
    size = plan.get("micro_batch_size")
    if phase == "eval":
        return Batches(size)
    return Batches(size, plan.get("accumulation_steps"), plan["batch_size"])
