# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes products of LLM.int8() of bitsandbytes, for tests that run without it:

    PYTHONPATH=tests .venv-parity/bin/python -m parity.integer_products > tests/data/quantization/integer_products.json
"""

import json

import bitsandbytes
import torch
from torch import Tensor

# Columns of each case with a value of 6 or more, which are multiplied separately.
_OUTLIERS = {"no outliers": (), "an outlier": (3,), "several outliers": (3, 7, 15), "a single row": ()}


def main() -> None:
    torch.manual_seed(1)
    cases = [_case(name, columns) for name, columns in _OUTLIERS.items()]
    print("[\n" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + "\n]")


def _case(name: str, columns: tuple[int, ...]) -> dict[str, object]:
    """Returns a product in evaluation, since bitsandbytes does not multiply integers on the CPU in training. All
    numbers are exact in 16 bits."""
    rows = torch.randn(1 if name == "a single row" else 5, 24).clamp(-5, 5).half().float()
    for place, column in enumerate(columns):
        rows[place, column] = -9.0 - place
    weight = (torch.randn(16, 24) * 0.1).half().float()
    layer = bitsandbytes.nn.Linear8bitLt(24, 16, bias=True, has_fp16_weights=False, threshold=6.0)
    layer.weight = bitsandbytes.nn.Int8Params(weight, requires_grad=False, has_fp16_weights=False)
    layer = layer.to("cpu").eval()
    with torch.no_grad():
        result = layer(rows)
    return {
        "name": name,
        "inputs": rows.shape[1],
        "rows": _list(rows),
        "weight": _list(weight),
        "bias": _list(layer.bias),
        "outlier_columns": len(columns),
        "result": _list(result),
    }


def _list(tensor: Tensor) -> list[float]:
    return [float(f"{value:.9g}") for value in tensor.detach().float().flatten().tolist()]


if __name__ == "__main__":
    main()
