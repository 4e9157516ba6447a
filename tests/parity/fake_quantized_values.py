# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes values that torchao has quantized, for tests that run without it:

    PYTHONPATH=tests .venv-parity/bin/python -m parity.fake_quantized_values > tests/data/quantization/fake.json
"""

import json

import torch
from torch import Tensor

from .fake_quantization import Rounding, activation_quantizer, weight_quantizer

_TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}
_WEIGHTS = [
    Rounding(weights="int4", group_size=8),
    Rounding(weights="int4", group_size=32),
    Rounding(weights="int8"),
    Rounding(weights="uint4", group_size=16),
    Rounding(weights="nvfp4"),
]
_ACTIVATIONS = [Rounding(activations="int8"), Rounding(activations="nvfp4")]


def main() -> None:
    torch.manual_seed(1)
    cases = [_case(rounding, name, (5, 32)) for rounding in _WEIGHTS for name in _TYPES]
    cases += [_case(rounding, name, (2, 3, 32)) for rounding in _ACTIVATIONS for name in _TYPES]
    print("[\n" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + "\n]")


def _case(rounding: Rounding, name: str, shape: tuple[int, ...]) -> dict[str, object]:
    """Returns values and gradients that are exact in bf16, with a row of zeros, a positive one, a negative one, and one
    with a much larger value in its second half."""
    rows = torch.randn(shape).view(-1, shape[-1])
    rows[1] = 0
    rows[2] = rows[2].abs() + 0.5
    rows[3] = -rows[3].abs() - 0.5
    rows[4, 20] = 40
    values = rows.view(shape).to(torch.bfloat16).to(_TYPES[name]).requires_grad_()
    gradient = torch.randn(shape).to(torch.bfloat16).to(_TYPES[name])
    rounded = (weight_quantizer(rounding) or activation_quantizer(rounding))(values)
    rounded.backward(gradient)
    return {
        "weights": rounding.weights,
        "group": rounding.group_size,
        "activations": rounding.activations,
        "type": name,
        "shape": list(shape),
        "values": _list(values),
        "gradient": _list(gradient),
        "rounded": _list(rounded),
        "passed": _list(values.grad),
    }


def _list(tensor: Tensor) -> list[float]:
    return [float(f"{value:.9g}") for value in tensor.detach().float().flatten().tolist()]


if __name__ == "__main__":
    main()
