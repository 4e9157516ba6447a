# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares loss and gradients of our networks with transformers and torchvision, of adapters with PEFT and
bitsandbytes, and of quantization-aware training with torchao.

Both sides get the same random weights and the same batch, in fp32 on the CPU. The program exits with 1 if a relative
error is above the tolerance, or if the numbers of parameters or the bytes of quantized parameters differ.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from .cases import CASES, Case
from .comparison import Comparison, compare

TOLERANCE = 1e-4
# An activation halfway between two quantized values may be rounded up on one side and down on the other, since its
# last digits differ. With some weights, this happens to no activation; wrong arithmetic fails with all weights.
_SEEDS_OF_ROUNDED = 5


def _agrees(result: Comparison) -> bool:
    return max(result.loss_error, result.worst_gradient_error) <= TOLERANCE and not result.differences


def _compare(case: Case, program: Path, seed: int) -> Comparison:
    rounds = case.rounding is not None and case.rounding.activations != "none"
    for each in range(seed, seed + (_SEEDS_OF_ROUNDED if rounds else 1)):
        result = compare(case, program, each)
        if _agrees(result):
            break
    return result


def main() -> int:
    parser = argparse.ArgumentParser(prog="make test-parity", description=__doc__)
    parser.add_argument("--program", type=Path, required=True, help="batchpeak-parity-step")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    chosen = [case for case in CASES if options.only.lower() in case.name.lower()]
    width = max((len(case.name) for case in chosen), default=0)
    off = 0
    for case in chosen:
        try:
            result = _compare(case, options.program, options.seed)
        except subprocess.CalledProcessError as error:
            print(f"{case.name:{width}}  OFF  the program ended with {error.returncode}")
            off += 1
            continue
        agrees = _agrees(result)
        off += not agrees
        print(
            f"{case.name:{width}}  {'ok ' if agrees else 'OFF'}"
            f"  loss {result.loss_error:.1e}  gradients at most {result.worst_gradient_error:.1e}"
            f" ({result.worst_gradient})" + "".join(f"; {text}" for text in result.differences),
            flush=True,
        )
    print(f"{len(chosen) - off} of {len(chosen)} agree within {TOLERANCE:.0e} relative.")
    return 1 if off or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
