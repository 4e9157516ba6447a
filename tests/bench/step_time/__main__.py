# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the time of our worker's training step with transformers, torchvision and PEFT, in alternating blocks.

Both sides run the same network with the same threads, precision, optimizer and shapes of data. Their side is eager
PyTorch with SDPA attention and AdamW(fused=True). Peak memory is that of all tensors.
"""

import argparse
import math
import os
import sys
from pathlib import Path
from statistics import median

import torch

from .rivals import ADAPTER_RIVALS, GPU_ADAPTER_RIVALS, GPU_RIVALS, RIVALS, Rival
from .table import HEADER, Row, summary
from .training import Training
from .worker import Worker

FEWEST_STEPS = 5
MOST_STEPS = 100


def main() -> int:
    options = _options()
    torch.set_num_threads(options.threads)
    rivals = _rivals(options)
    chosen = [
        rival for rival in rivals if not options.families or rival.family.lower() in options.families
    ]
    if not chosen:
        sys.exit(f"No such network; there are {', '.join(dict.fromkeys(r.family for r in rivals))}.")
    print(f"{options.threads} threads, {options.precision} on {options.device}, {options.blocks} blocks")
    print(HEADER)
    rows = []
    for rival in chosen:
        for row in _rows(rival, options):
            print(row.text(), flush=True)
            rows.append(row)
    print(summary(rows))
    return 0


def _rivals(options: argparse.Namespace) -> list[Rival]:
    on_gpu = options.scale == "gpu"
    groups = {
        "full": GPU_RIVALS if on_gpu else RIVALS,
        "adapters": GPU_ADAPTER_RIVALS if on_gpu else ADAPTER_RIVALS,
    }
    rivals = [rival for group in options.trained for rival in groups[group]]
    return [rival for rival in rivals if on_gpu or rival.size in options.sizes]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench-step-time", description=__doc__)
    parser.add_argument("--worker", type=Path, required=True, help="batchpeak-worker")
    parser.add_argument("--families", type=_words, default=[], help="such as GPT-2,T5; default all")
    parser.add_argument(
        "--scale", choices=["cpu", "gpu"], default="cpu", help="networks that keep a CPU or a GPU busy"
    )
    parser.add_argument(
        "--trained",
        nargs="+",
        choices=["full", "adapters"],
        default=["full", "adapters"],
        help="train all of a network, or adapters",
    )
    parser.add_argument("--sizes", type=_words, default=["small", "large"])
    parser.add_argument("--micro-batch", type=int, help="this size instead of the three of a network")
    parser.add_argument("--blocks", type=int, default=7, help="number of blocks of each side, which alternate")
    parser.add_argument("--block-seconds", type=float, default=0.5, help="minimum time of one block")
    parser.add_argument("--precision", choices=["fp32", "tf32", "bf16"], default="fp32")
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:N")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    return parser.parse_args()


def _words(text: str) -> list[str]:
    return [word.strip().lower() for word in text.split(",")]


def _rows(rival: Rival, options: argparse.Namespace):
    torch.manual_seed(1)
    # On the device itself: a CPU takes half a minute to draw a billion numbers.
    with torch.device(options.device):
        network = rival.make()
    training = Training(network, options.device, options.precision, rival.checkpoints, rival.tuning)
    with Worker(options.worker, options.device, options.threads) as worker:
        worker.load(network, options.precision, rival.checkpoints, training.load_message())
        for size in [options.micro_batch] if options.micro_batch else rival.micro_batches:
            training.prepare(size)
            steps = _steps(training, options.block_seconds)
            ours, theirs = [], []
            for _ in range(options.blocks):
                ours.append(worker.run(size, steps))
                theirs.append(training.run(steps))
            name = rival.family if rival.size == "gpu" else f"{rival.family} {rival.size}"
            yield Row(name, size, ours, theirs)


def _steps(training: Training, block_seconds: float) -> int:
    seconds = median(training.run(FEWEST_STEPS).step_seconds)
    return min(max(FEWEST_STEPS, math.ceil(block_seconds / seconds)), MOST_STEPS)


if __name__ == "__main__":
    sys.exit(main())
