# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a trainer reads of a config what Batchpeak says of it, before and after a size was written."""

import enum
from collections.abc import Iterable
from dataclasses import dataclass, field

from .batches import Answer, Batches


class Verdict(enum.Enum):
    EQUAL = "equal"
    DIFFERS = "differs"
    # The trainer takes the config no more than its copy, for the same reason: nothing can be told of it.
    REFUSED_ALREADY = "refused already"


@dataclass(frozen=True)
class Case:
    """A config, or a copy of it with a size written into it: what we say and what the trainer says."""

    name: str
    ours: Batches
    theirs: Answer


@dataclass(frozen=True)
class ConfigResult:
    verdict: Verdict
    # One sentence a case that differs; of a config that was refused already, why.
    remarks: tuple[str, ...] = ()


def compare(original: list[Case], copies: list[Case]) -> ConfigResult:
    """`original` has the config itself, a case for each phase that has copies."""
    refusals = {case.theirs.refusal for case in original + copies}
    if len(refusals) == 1 and "" not in refusals:
        return ConfigResult(Verdict.REFUSED_ALREADY, tuple(refusals))
    # A search that the config asks for is no number that a trainer could state.
    asked = [case for case in original if case.ours.micro_batch_size is not None]
    remarks = tuple(remark(case) for case in asked + copies if not is_equal(case))
    if not copies:
        return ConfigResult(Verdict.DIFFERS, ("no size was written",))
    return ConfigResult(Verdict.DIFFERS if remarks else Verdict.EQUAL, remarks)


def is_equal(case: Case) -> bool:
    """A trainer states at least the micro-batch; where it leaves the steps to another config, they are not asked."""
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
    """Of one trainer's configs."""

    equal: int = 0
    differing: int = 0
    # How many configs were refused for each reason.
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
