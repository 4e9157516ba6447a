# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares ways to find a micro-batch size: ours, Composer's, torchtune's three, and growth.

batchpeak runs each way to find its size. Then the sizes train alternately, in rounds, with the config's batch size.
Nothing else should run meanwhile.
"""

import argparse
import json
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from . import table
from .program import Program
from .rounds import measure
from .ways import OURS, all_ways

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Task:
    config: Path
    memory_limit: str | None


# A third of each config's batch of 64 fits, if 8 % of the memory stays free.
USUAL_TASKS = [Task(HERE / "gpt.yaml", "262MiB"), Task(HERE / "llama.yaml", "309MiB")]


def main() -> int:
    options = _options()
    tasks = [Task(config, options.memory_limit) for config in options.config] or USUAL_TASKS
    results = []
    for task in tasks:
        with tempfile.TemporaryDirectory() as folder:
            results.append(_compare(task, options, Path(folder)))
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench-training", description=__doc__)
    parser.add_argument("--program", type=Path, required=True, help="batchpeak")
    parser.add_argument(
        "--config", type=Path, action="append", default=[], help="instead of a GPT and a LLaMA, repeatable"
    )
    parser.add_argument("--memory-limit", help="memory limit for the configs of --config, such as 800MiB")
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:N")
    parser.add_argument("--sequence-length", type=int, help="instead of the config's")
    parser.add_argument(
        "--exploration-budget", default="2m", help="time after which our exploration ends with its best size (2m)"
    )
    parser.add_argument("--steps", type=int, default=3, help="timed steps of a size in a round (3)")
    parser.add_argument("--rounds", type=int, default=4, help="number of rounds, each of which trains every size (4)")
    parser.add_argument("--time-limit", type=float, default=300.0, help="seconds for one start of batchpeak")
    parser.add_argument("--worker", help="command that replaces batchpeak-worker")
    parser.add_argument("--json", type=Path, help="file for the results")
    options = parser.parse_args()
    if options.memory_limit and not options.config:
        parser.error("--memory-limit requires --config; the default configs have their own limits")
    if min(options.steps, options.rounds) < 1:
        parser.error("--steps and --rounds are at least 1")
    return options


def _compare(task: Task, options: argparse.Namespace, folder: Path) -> dict:
    program = Program(options.program, _common(task, options), options.time_limit, folder)
    begin = time.monotonic()

    def tell(text: str) -> None:
        print(f"{time.monotonic() - begin:6.1f} s  {task.config.stem}: {text}", file=sys.stderr, flush=True)

    batch_size = program.batch_size(task.config)
    found = {}
    for way in all_ways(batch_size, options.exploration_budget):
        tell(way.name)
        found[way.name] = way.find(program, task.config)
    sizes = sorted({one.size for one in found.values() if one.size})
    achieved = measure(program, task.config, sizes, options.rounds, options.steps, tell)
    rows = table.rows(found, achieved, OURS)
    print(
        f"\n**{task.config.name}**, batch of {batch_size}, {task.memory_limit or 'all memory'} of"
        f" {options.device}, {options.rounds} rounds of {options.steps} steps\n\n{table.HEADER}"
    )
    for row in rows:
        print(row.text(), flush=True)
    return {"config": str(task.config), "batch_size": batch_size, "ways": [row.fields() for row in rows]}


def _common(task: Task, options: argparse.Namespace) -> list[str]:
    common = ["--device", options.device]
    if task.memory_limit:
        common += ["--memory-limit", task.memory_limit]
    if options.sequence_length:
        common += ["--sequence-length", str(options.sequence_length)]
    if options.worker:
        common += ["--worker", options.worker]
    return common


if __name__ == "__main__":
    sys.exit(main())
