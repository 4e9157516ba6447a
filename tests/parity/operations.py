# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows which operations of libtorch a forward and backward pass runs more or less often than theirs.

Counts are the same on a busy computer as on a quiet one: they say where a difference in time comes from.
"""

import argparse
import sys
from pathlib import Path

import torch

from .cases import CASES, Case
from .comparison import run_ours


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m parity.operations", description=__doc__)
    parser.add_argument("--program", type=Path, required=True, help="batchpeak-parity-step")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    options = parser.parse_args()
    for case in CASES:
        if options.only.lower() in case.name.lower():
            _show(case, options.program)
    return 0


def _show(case: Case, program: Path) -> None:
    torch.manual_seed(1)
    network = case.make()
    network.module.train()
    batch = network.batch(sum(case.micro_batches))
    with torch.autograd.profiler.profile(use_kineto=True) as profile:
        network.loss(batch).backward()
    theirs = {event.key: event.count for event in profile.key_averages()}
    prefix = "operations."
    ours = {
        name.removeprefix(prefix): int(count)
        for name, count in run_ours(case, network, batch, program).items()
        if name.startswith(prefix)
    }
    print(f"{case.name:<48} {'ours':>6} {'theirs':>6}")
    for name in sorted(ours.keys() | {name for name in theirs if name.startswith("aten::")}):
        if ours.get(name, 0) != theirs.get(name, 0):
            print(f"  {name:<46} {ours.get(name, 0):>6} {theirs.get(name, 0):>6}")


if __name__ == "__main__":
    sys.exit(main())
