# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the memory of our worker's step with adapters with PEFT, bitsandbytes and torchao, on the CPU.

It measures the peak of tensors of both sides at two micro-batch sizes, and derives the bytes of each further sample
and the fixed bytes. It also shows the parts of PEFT's step: weights, with the overhead of quantization; gradients;
optimizer state; and what autograd keeps of a sample from forward to backward.
"""

import argparse
import sys
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import torch
from bench.step_time.training import Training
from bench.step_time.worker import Worker
from parity.adapters import Tuning
from parity.networks.gpt2 import Gpt2
from parity.networks.llama import Llama
from parity.networks.network import Network

from .kept import kept_bytes

SIZES = (4, 12)
_SHAPE = {"layers": 4, "width": 256, "heads": 8, "vocabulary": 8192, "length": 128}
NETWORKS = {
    "GPT-2": partial(Gpt2, **_SHAPE),
    "LLaMA": partial(Llama, **_SHAPE, key_value_heads=2, feed_forward=704),
}
_LORA = Tuning("all-linear", rank=16, alpha=32)
TUNINGS = {
    "LoRA": _LORA,
    "LoRA, dropout": replace(_LORA, dropout=0.05),
    "DoRA": replace(_LORA, dora=True),
    "QLoRA": replace(_LORA, quantized=True),
    "QLoRA, dropout": replace(_LORA, quantized=True, dropout=0.05),
    "torchao NF4": replace(_LORA, torchao=True),
    "8 bits": replace(_LORA, in_8_bits=True),
}
# Networks that transformers builds from torch's linear layers, as torchtune does.
_TORCHAO_NETWORKS = ("LLaMA",)
HEADER = (
    f"{'network':<21} {'':<4}  {'fixed: ours':>11} {'theirs':>8} {'':>5}"
    f"  {'a sample: ours':>14} {'theirs':>8} {'':>5}"
    f"  {'theirs: weights':>15} {'gradients':>9} {'optimizer':>9} {'a sample':>8}"
)


@dataclass(frozen=True)
class Line:
    """Peak bytes as a line: peak = fixed + sample * micro-batch size."""

    fixed: float
    sample: float


@dataclass(frozen=True)
class Parts:
    """Bytes of the parts of PEFT's step, without temporary tensors."""

    weights: int
    gradients: int
    optimizer: int
    kept_of_a_sample: float


def main() -> int:
    options = _options()
    torch.set_num_threads(options.threads)
    print(f"peak bytes of a step at {SIZES[0]} and {SIZES[1]} samples, KiB")
    print(HEADER)
    for network, make in NETWORKS.items():
        for tuning in TUNINGS:
            for precision in ("fp32", "bf16"):
                name = f"{network} {tuning}"
                if TUNINGS[tuning].torchao and network not in _TORCHAO_NETWORKS:
                    continue
                if options.only.lower() in name.lower():
                    print(_row(name, make(), TUNINGS[tuning], precision, options), flush=True)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench-adapter-memory", description=__doc__)
    parser.add_argument("--worker", type=Path, required=True, help="batchpeak-worker")
    parser.add_argument("--only", default="", help="rows whose name contains this")
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


def _row(name: str, network: Network, tuning: Tuning, precision: str, options: argparse.Namespace) -> str:
    torch.manual_seed(1)
    training = Training(network, "cpu", precision, tuning=tuning)
    theirs, parts = _theirs(training, network)
    ours = _ours(training, network, precision, options)
    return (
        f"{name:<21} {precision:<4}  {_pair(ours.fixed, theirs.fixed, 11)}"
        f"  {_pair(ours.sample, theirs.sample, 14)}"
        f"  {_kib(parts.weights):>15} {_kib(parts.gradients):>9} {_kib(parts.optimizer):>9}"
        f" {_kib(parts.kept_of_a_sample):>8}"
    )


def _theirs(training: Training, network: Network) -> tuple[Line, Parts]:
    peaks, kept = [], []
    for size in SIZES:
        training.prepare(size)
        training.run(1)
        peaks.append(training.peak_bytes())
        kept.append(kept_bytes(training.loss, training.held()))
    trained = [parameter for parameter in network.module.parameters() if parameter.requires_grad]
    parts = Parts(
        training.weight_bytes(),
        sum(parameter.nbytes for parameter in trained),
        training.optimizer_bytes(),
        _through(kept).sample,
    )
    return _through(peaks), parts


def _ours(training: Training, network: Network, precision: str, options: argparse.Namespace) -> Line:
    with Worker(options.worker, "cpu", options.threads) as worker:
        worker.load(network, precision, tuning=training.load_message())
        return _through([worker.run(size, 2).peak_bytes for size in SIZES])


def _through(peaks: list[int]) -> Line:
    sample = (peaks[1] - peaks[0]) / (SIZES[1] - SIZES[0])
    return Line(peaks[0] - sample * SIZES[0], sample)


def _pair(ours: float, theirs: float, width: int) -> str:
    return f"{_kib(ours):>{width}} {_kib(theirs):>8} {ours / theirs:>5.2f}"


def _kib(size: float) -> str:
    return f"{size / 1024:.0f}"


if __name__ == "__main__":
    sys.exit(main())
