# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures sizes in real training. They take turns, so that drift of the device affects all equally."""

from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from .program import Program

# The first step of a process warms up.
WARM_UP_STEPS = 1


@dataclass
class Achieved:
    """Results of one size with the config's batch size."""

    # The median of the steps of each round.
    samples_per_second: list[float] = field(default_factory=list)
    peak_bytes: int = 0
    ran_out_of_memory: bool = False

    def ratio_to(self, other: "Achieved") -> float:
        """Returns the median ratio over the rounds, so that a disturbance of one round counts once."""
        return median(
            mine / theirs
            for mine, theirs in zip(self.samples_per_second, other.samples_per_second, strict=True)
        )


def measure(
    program: Program, config: Path, sizes: list[int], rounds: int, steps: int, tell
) -> dict[int, Achieved]:
    achieved = {size: Achieved() for size in sizes}
    for number in range(rounds):
        # Each round begins with another size.
        for size in sizes[number % len(sizes) :] + sizes[: number % len(sizes)]:
            if achieved[size].ran_out_of_memory:
                continue
            tell(f"round {number + 1} of {rounds}, micro-batches of {size}")
            _add_round(achieved[size], program, config, size, steps)
    return achieved


def _add_round(achieved: Achieved, program: Program, config: Path, size: int, steps: int) -> None:
    asked = ["--setting", str(size), "--steps", str(steps + WARM_UP_STEPS)]
    run = program.run(["train", str(config), *asked])
    if not run.fits:
        achieved.ran_out_of_memory = True
        return
    done = run.named("step")
    achieved.samples_per_second.append(median(step["samples_per_second"] for step in done[WARM_UP_STEPS:]))
    achieved.peak_bytes = max(achieved.peak_bytes, *(step["peak_reserved_bytes"] for step in done))
