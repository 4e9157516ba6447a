# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares our time to dequantize matrices with other libraries, in alternating blocks: NF4 with double quantization
with bitsandbytes, and torchtune's NF4 with torchao. Only QLoRA's step needs this. For 8-bit matrices, it compares
forward and backward of a product with bitsandbytes."""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import parity  # noqa: F401  It must come first: it suppresses warnings of bitsandbytes.
import torch
from bitsandbytes.functional import dequantize_4bit, quantize_4bit
from parity.quantization import linear_in_8_bits
from torchao.dtypes.nf4tensor import to_nf4

# The smallest shape, one of GPT-2, and two of LLaMA with 7 billion parameters (arXiv 2302.13971).
SHAPES = ((256, 256), (2304, 768), (4096, 4096), (11008, 4096))
TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}
# Rows of inputs that 8-bit matrices are multiplied with; 4-bit matrices are only dequantized.
ROWS = {"int8": 512}
# Number of values in all calls of a block together.
VALUES_OF_A_BLOCK = 2**26
WARM_UP_CALLS = 2


def main() -> int:
    options = _options()
    torch.set_num_threads(options.threads)
    print(f"{options.threads} threads on {options.device}, {options.blocks} blocks")
    print(f"{'as':<12} {'matrix':<14} {'type':<5} {'ours':>12}  {'theirs':>12}  {'time':>5}  {'of blocks':>11}")
    for weights in options.weights:
        for shape in SHAPES:
            for kind in TYPES:
                print(_row(weights, shape, kind, options), flush=True)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench-dequantizing", description=__doc__)
    parser.add_argument("--program", type=Path, required=True, help="batchpeak-time-dequantizing")
    parser.add_argument("--weights", nargs="+", choices=_EXPANDING, default=list(_EXPANDING), help="quantizations")
    parser.add_argument("--blocks", type=int, default=7, help="number of blocks of each side, which alternate")
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:N")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    return parser.parse_args()


def _row(weights: str, shape: tuple[int, int], kind: str, options: argparse.Namespace) -> str:
    calls = max(3, VALUES_OF_A_BLOCK // (shape[0] * shape[1]))
    ours, theirs = [], []
    for _ in range(options.blocks):
        ours.append(_ours(weights, shape, kind, calls, options))
        theirs.append(_theirs(weights, shape, kind, calls, options.device))
    ratios = [mine / other for mine, other in zip(ours, theirs, strict=True)]
    return (
        f"{weights:<12} {f'{shape[0]} x {shape[1]}':<14} {kind:<5}"
        f" {1e6 * median(ours):>9.1f} us  {1e6 * median(theirs):>9.1f} us"
        f"  {median(ours) / median(theirs):>5.2f}  {min(ratios):>4.2f}..{max(ratios):<4.2f}"
    )


def _ours(weights: str, shape: tuple[int, int], kind: str, calls: int, options: argparse.Namespace) -> float:
    """Returns the median seconds of a call."""
    arguments = [options.program, options.device, weights, kind, *map(str, (*shape, ROWS.get(weights, 0), WARM_UP_CALLS, calls))]
    environment = os.environ | {"OMP_NUM_THREADS": str(options.threads)}
    lines = subprocess.run(arguments, check=True, capture_output=True, text=True, env=environment).stdout
    return median(float(line) for line in lines.splitlines())


def _theirs(weights: str, shape: tuple[int, int], kind: str, calls: int, device: str) -> float:
    expand = _EXPANDING[weights](torch.randn(shape, dtype=TYPES[kind], device=device))
    seconds = []
    for _ in range(WARM_UP_CALLS + calls):
        _wait(device)
        begin = time.perf_counter()
        expand()
        _wait(device)
        seconds.append(time.perf_counter() - begin)
    return median(seconds[WARM_UP_CALLS:])


def _by_bitsandbytes(weight: torch.Tensor) -> Callable[[], object]:
    packed, state = quantize_4bit(weight, quant_type="nf4", compress_statistics=True)
    return lambda: dequantize_4bit(packed, state)


def _by_torchao(weight: torch.Tensor) -> Callable[[], object]:
    """Returns a function that dequantizes as LinearNF4 does for each product."""
    packed = to_nf4(weight)
    return lambda: packed.to(weight.dtype)


def _product_by_bitsandbytes(weight: torch.Tensor) -> Callable[[], object]:
    """Returns a function that runs a product as in training, where the inputs of the layer need a gradient for an
    adapter before it."""
    layer = torch.nn.Linear(weight.shape[1], weight.shape[0], bias=False, device="meta")
    layer.weight = torch.nn.Parameter(weight, requires_grad=False)
    quantized = linear_in_8_bits(layer, weight.device)
    rows = torch.randn(ROWS["int8"], weight.shape[1], dtype=weight.dtype, device=weight.device).requires_grad_()
    gradient = torch.randn(ROWS["int8"], weight.shape[0], dtype=weight.dtype, device=weight.device)

    def multiply() -> None:
        rows.grad = None
        quantized(rows).backward(gradient)

    return multiply


# Keys are values of frozen_weights in the trial protocol.
_EXPANDING = {"nf4": _by_bitsandbytes, "torchao-nf4": _by_torchao, "int8": _product_by_bitsandbytes}


def _wait(device: str) -> None:
    if device.startswith("cuda"):
        torch.cuda.synchronize(device)


if __name__ == "__main__":
    sys.exit(main())
