# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares what a trainer reads from a config with what Batchpeak states, before and after a size is written."""

import enum
from collections.abc import Iterable
from dataclasses import dataclass, field

from .batches import Answer, Batches


class Verdict(enum.Enum):
    EQUAL = "equal"
    DIFFERS = "differs"
    # The trainer refuses the config and its copies for the same reason, so nothing can be compared.
    REFUSED_ALREADY = "refused already"


@dataclass(frozen=True)
class Case:
    """A config, or a copy with a written size: what Batchpeak states and what the trainer answers."""

    name: str
    ours: Batches
    theirs: Answer


@dataclass(frozen=True)
class ConfigResult:
    verdict: Verdict
    # One sentence for each case that differs; the reason, for a config that was refused already.
    remarks: tuple[str, ...] = ()


def compare(original: list[Case], copies: list[Case]) -> ConfigResult:
    """Compares all cases of a config. `original` are the cases of the config itself, for each phase with copies."""
    refusals = {case.theirs.refusal for case in original + copies}
    if len(refusals) == 1 and "" not in refusals:
        return ConfigResult(Verdict.REFUSED_ALREADY, tuple(refusals))
    # If the config asks for a search, there is no number that a trainer could state.
    asked = [case for case in original if case.ours.micro_batch_size is not None]
    remarks = tuple(remark(case) for case in asked + copies if not is_equal(case))
    if not copies:
        return ConfigResult(Verdict.DIFFERS, ("no size was written",))
    return ConfigResult(Verdict.DIFFERS if remarks else Verdict.EQUAL, remarks)


def is_equal(case: Case) -> bool:
    """Returns whether trainer and Batchpeak agree. A trainer states at least the micro-batch; steps that it leaves to
    another config are not compared."""
    theirs = case.theirs.batches
    if theirs is None or theirs.micro_batch_size is None:
        return False
    if theirs.accumulation_steps is None and theirs.global_batch_size is None:
        return theirs.micro_batch_size == case.ours.micro_batch_size
    return theirs == case.ours


def remark(case: Case) -> str:
    theirs = f"refused: {case.theirs.refusal}" if case.theirs.refusal else str(case.theirs.batches)
    return f"{case.name}: Batchpeak has {case.ours}; the trainer has {theirs}"


@dataclass
class Tally:
    """Counts of one trainer's configs."""

    equal: int = 0
    differing: int = 0
    # Number of configs that were refused for each reason.
    refused: dict[str, int] = field(default_factory=dict)

    @property
    def compared(self) -> int:
        return self.equal + self.differing


def tally(results: Iterable[ConfigResult]) -> Tally:
    counted = Tally()
    for result in results:
        if result.verdict is Verdict.EQUAL:
            counted.equal += 1
        elif result.verdict is Verdict.DIFFERS:
            counted.differing += 1
        else:
            reason = result.remarks[0]
            counted.refused[reason] = counted.refused.get(reason, 0) + 1
    return counted
