# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes matrices that torchao has quantized to NF4, for tests that run without it:

    PYTHONPATH=tests .venv-parity/bin/python -m parity.torchao_values > tests/data/quantization/torchao_nf4.json
"""

import json

import torch
from torch import Tensor
from torchao.dtypes.nf4tensor import NF4Tensor, to_nf4

_TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}


def main() -> None:
    torch.manual_seed(1)
    cases = [_case(name, shape) for name in _TYPES for shape in ((128, 128), (256, 128))]
    print("[\n" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + "\n]")


def _case(name: str, shape: tuple[int, int]) -> dict[str, object]:
    """Returns a case of few different numbers, so that the file stays small. Each block has its own maximum, which
    determines its scale. The 64 values of a block are multiples of it, some of them between two codes."""
    multiples = torch.linspace(-1, 1, 64)
    count = shape[0] * shape[1] // 64
    largest = torch.randn(count).abs() * 0.05 + 0.01
    values = (largest.unsqueeze(1) * multiples).view(shape).to(_TYPES[name])
    matrix: NF4Tensor = to_nf4(values)
    return {
        "type": name,
        "shape": list(shape),
        "largest": _list(largest),
        "codes_sum": int(_weighted(matrix.quantized_data)),
        "scales": matrix.quantized_scalers.tolist(),
        "factors": _list(matrix.quantization_factor),
        "mean": _list(matrix.scaler_mean.view(1))[0],
        "numbers": _list(matrix.nf4),
        # For each block, the sum of all values times their positions from 1 on, in fp64: it shows a single wrong code.
        "sums": _list((matrix.to(values.dtype).double().view(-1, 64) * torch.arange(1, 65)).sum(1)),
    }


def _weighted(codes: Tensor) -> Tensor:
    """Returns the sum of all codes times their positions from 1 on."""
    return (codes.flatten().long() * torch.arange(1, codes.numel() + 1)).sum()


def _list(tensor: Tensor) -> list[float]:
    return [float(f"{value:.12g}") for value in tensor.detach().double().flatten().tolist()]


if __name__ == "__main__":
    main()
