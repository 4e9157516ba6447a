# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the results of three optimizer steps on some parameters, for tests that run without these optimizers:

    PYTHONPATH=tests .venv-parity/bin/python -m parity.optimizer_steps > tests/data/optimizers/steps.json

32-bit AdamW and Lion are from bitsandbytes; Adafactor is from transformers, as Trainer makes it. Their hyperparameters
are those of core/network/optimizers/optimizer_step.cpp and adafactor.cpp.
"""

import json
from collections.abc import Callable

import bitsandbytes.optim
import torch
from torch import Tensor
from transformers.optimization import Adafactor

_RATE = 3e-4
_DECAY = 0.1
_TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}
# The last one has no weight decay, as biases have none.
_SHAPES = [(6, 8), (3, 4, 2, 2), (5, 16), (7,)]
_STEPS = 3

Make = Callable[[list[dict]], torch.optim.Optimizer]
_OPTIMIZERS: dict[str, Make] = {
    "adamw-32bit": lambda groups: bitsandbytes.optim.AdamW32bit(groups, lr=_RATE, betas=(0.9, 0.95), eps=1e-8),
    "lion": lambda groups: bitsandbytes.optim.Lion32bit(groups, lr=_RATE, betas=(0.9, 0.99)),
    "adafactor": lambda groups: Adafactor(groups, lr=_RATE, scale_parameter=False, relative_step=False),
}


def main() -> None:
    torch.manual_seed(1)
    cases = [_case(name, make, kind) for name, make in _OPTIMIZERS.items() for kind in _TYPES]
    print("[\n" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + "\n]")


def _case(name: str, make: Make, kind: str) -> dict[str, object]:
    """Returns a case with values so small that a step changes them in bf16; gradients grow from step to step, and one
    is zero."""
    parameters = [_numbers(shape, 0.01, _TYPES[kind]).requires_grad_() for shape in _SHAPES]
    written = [{"shape": list(p.shape), "values": _list(p), "gradients": [], "expected": []} for p in parameters]
    decay = 0.0 if name == "adafactor" else _DECAY
    optimizer = make(
        [{"params": parameters[:-1], "weight_decay": decay}, {"params": parameters[-1:], "weight_decay": 0.0}]
    )
    for step in range(_STEPS):
        for place, (parameter, row) in enumerate(zip(parameters, written)):
            gradient = _numbers(tuple(parameter.shape), 10.0 ** (step - 1), _TYPES[kind])
            if step == 1 and place == 2:
                gradient.zero_()
            parameter.grad = gradient
            row["gradients"].append(_list(gradient))
        optimizer.step()
        for parameter, row in zip(parameters, written):
            row["expected"].append(_list(parameter))
    return {"optimizer": name, "type": kind, "parameters": written}


def _numbers(shape: tuple[int, ...], size: float, kind: torch.dtype) -> Tensor:
    return (size * torch.randn(shape)).to(torch.bfloat16).to(kind)


def _list(tensor: Tensor) -> list[float]:
    return [float(f"{value:.9g}") for value in tensor.detach().float().flatten().tolist()]


if __name__ == "__main__":
    main()
