# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Times a training step with different ways for the worker's threads to wait for each other, on an idle and on a busy
computer.

Blocks of all ways alternate, including those of transformers with PyTorch's own way. Nothing else should run.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import mean, median

from bench.step_time.rivals import RIVALS
from bench.step_time.training import Training
from bench.step_time.worker import Worker

SPINNING = "spinning"
WAYS = {
    SPINNING: {},
    "1,000 spins": {"GOMP_SPINCOUNT": "1000"},
    "asleep": {"OMP_WAIT_POLICY": "PASSIVE"},
    "1 thread": {"OMP_NUM_THREADS": "1"},
}
PYTORCH = "transformers"


def main() -> int:
    options = _options()
    rival = next(r for r in RIVALS if r.family == "GPT-2" and r.size == "large")
    print(f"{rival.family}, {options.threads} threads, median of {options.blocks} blocks, milliseconds a step")
    print(" ".join(f"{text:>14}" for text in ["beside", "micro-batch", PYTORCH, *WAYS]))
    network = rival.make()
    with ExitStack() as stack:
        workers = {}
        for way, environment in WAYS.items():
            workers[way] = stack.enter_context(Worker(options.worker, "cpu", options.threads, environment))
            workers[way].load(network, "fp32")
        training = Training(network, "cpu", "fp32")
        for programs in range(options.programs + 1):
            with _others(programs):
                for size in options.micro_batches:
                    print(_line(programs, size, training, workers, options), flush=True)
    return 0


def _line(programs: int, size: int, training: Training, workers: dict[str, Worker], options) -> str:
    training.prepare(size)
    blocks: dict[str, list[float]] = {way: [] for way in [PYTORCH, *workers]}
    for _ in range(options.blocks):
        blocks[PYTORCH].append(mean(training.run(options.steps).step_seconds))
        for way, worker in workers.items():
            blocks[way].append(mean(worker.run(size, options.steps).step_seconds))
    milliseconds = {way: 1e3 * median(seconds) for way, seconds in blocks.items()}
    cells = [f"{value:.1f} ({value / milliseconds[SPINNING]:.2f})" for value in milliseconds.values()]
    return " ".join(f"{text:>14}" for text in [f"{programs} programs", str(size), *cells])


@contextmanager
def _others(count: int) -> Iterator[None]:
    """Runs count programs that compute all the time."""
    programs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench-waiting", description=__doc__)
    parser.add_argument("--worker", type=Path, required=True, help="batchpeak-worker")
    parser.add_argument("--micro-batches", type=int, nargs="+", default=[1, 4, 12])
    parser.add_argument("--programs", type=int, default=1, help="largest number of other programs")
    parser.add_argument("--blocks", type=int, default=7, help="number of blocks of each way, which alternate")
    parser.add_argument("--steps", type=int, default=10, help="steps in a block")
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
