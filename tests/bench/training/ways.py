# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ways to find a micro-batch size; batchpeak runs each of them."""

from dataclasses import dataclass
from pathlib import Path

from .program import Event, Program, Run

OURS = "exploration"
# Doubles, then grows slowly up to the maximum. The batch grows with the micro-batch, so the first batch is a single
# micro-batch.
GROWTH = "epoch < 3 ? current_batch_size : 2"
GROWTH_BEGIN = 4
GROWTH_EPOCHS = 12
# Steps for a way that chooses the size before or in the first step; the second step shows that the size stays.
STEPS = 2


@dataclass(frozen=True)
class Found:
    """The size that a way found, and the cost."""

    # None if the way found none.
    size: int | None
    # Seconds since the program was started.
    seconds: float
    out_of_memory: int


@dataclass(frozen=True)
class Way:
    name: str
    arguments: tuple[str, ...]
    # Replaces the config's batch size.
    batch_size: int | None = None

    def find(self, program: Program, config: Path) -> Found:
        command = "explore" if self.name == OURS else "train"
        file = program.with_batch_size(config, self.batch_size) if self.batch_size else config
        run = program.run([command, str(file), *self.arguments])
        return explored(run) if self.name == OURS else trained(run)


def explored(run: Run) -> Found:
    trials = run.named("trial_finished")
    finished = run.finished()
    return Found(
        size=finished["micro_batch_size"] if run.fits else None,
        seconds=finished.seconds,
        out_of_memory=sum(trial["outcome"] == "oom" for trial in trials),
    )


def trained(run: Run) -> Found:
    finished = run.finished()
    steps = run.named("step")
    size = steps[-1]["micro_batch_size"] if run.fits and steps else None
    return Found(
        size=size,
        seconds=_settled(steps) if size else finished.seconds,
        out_of_memory=finished["out_of_memory_events"],
    )


def _settled(steps: list[Event]) -> float:
    """Returns when the first step began after which the size did not change, without failed attempts."""
    first = steps[-1]
    for step in reversed(steps):
        if step["micro_batch_size"] != first["micro_batch_size"]:
            break
        first = step
    return first.seconds - first["seconds"]


def all_ways(batch_size: int, exploration_budget: str) -> list[Way]:
    exploring = ("--setting", "explore", "--objective", "effective", "--max", str(batch_size))
    few = ("--steps", str(STEPS))
    growing = ("--samples", str(batch_size), "--epochs", str(GROWTH_EPOCHS))
    return [
        Way(OURS, (*exploring, "--time-budget", exploration_budget)),
        Way("Composer's halving", ("--setting", "auto-halving", *few)),
        Way("torchtune's halving", ("--maximum", "halving", *few)),
        Way("torchtune's binary", ("--maximum", "binary", *few)),
        Way("torchtune's predict", ("--maximum", "predict", *few)),
        Way("growth", ("--setting", str(GROWTH_BEGIN), "--grow", GROWTH, *growing), GROWTH_BEGIN),
    ]
