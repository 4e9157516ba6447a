# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares one case: the same weights and the same batch in both networks."""

import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from .adapters import Tuned, all_trained, tune
from .cases import Case
from .networks.network import Batch, Network, Piece
from .quantization import compute_as_on_gpus, quantized_tensors

compute_as_on_gpus()

# Smallest share of a parameter's gradient that the error of a piece is relative to. The gradient of a key's bias is
# pure rounding error, since softmax ignores what is added to all scores of a query.
SMALLEST_SHARE = 0.01


@dataclass(frozen=True)
class Comparison:
    """Relative errors of a case."""

    loss_error: float
    worst_gradient_error: float
    worst_gradient: str
    # A sentence for each difference in what must be equal.
    differences: list[str]


def compare(case: Case, program: Path, seed: int) -> Comparison:
    torch.manual_seed(seed)
    network = case.make()
    network.randomize()
    network.module.train()
    if case.tuning:
        tuned = tune(network, case.tuning, rounding=case.rounding)
    else:
        tuned = all_trained(network, case.rounding)
    batch = network.batch(sum(case.micro_batches))

    loss = network.loss(batch)
    loss.backward()
    ours = _run_ours(case, network, tuned, batch, program)
    worst, name = max(_gradient_errors(network, tuned.trained, ours))
    differences = _differences(network, tuned, ours)
    return Comparison(_relative_error(ours["loss"], loss.detach()), worst, name, differences)


def _gradient_errors(
    network: Network, trained: dict[str, list[Piece]], ours: dict[str, Tensor]
) -> list[tuple[float, str]]:
    theirs = {
        name: parameter.grad
        for name, parameter in network.module.named_parameters()
        if parameter.requires_grad
    }
    _require_all(trained, theirs)
    errors = []
    for name, pieces in trained.items():
        expected = [piece.turn(theirs[piece.name]) for piece in pieces]
        found = ours[f"gradients.{name}"].split([len(piece) for piece in expected])
        least = SMALLEST_SHARE * torch.cat(expected).norm().item()
        errors += [
            (_relative_error(*pair, least), _piece_name(name, i, len(expected)))
            for i, pair in enumerate(zip(found, expected, strict=True))
        ]
    return errors


def _require_all(trained: dict[str, list[Piece]], theirs: dict[str, Tensor]) -> None:
    compared = {piece.name for pieces in trained.values() for piece in pieces}
    if left_out := theirs.keys() - compared:
        raise ValueError(f"These parameters have no counterpart of ours: {sorted(left_out)}.")


def _differences(network: Network, tuned: Tuned, ours: dict[str, Tensor]) -> list[str]:
    prefix = "gradients."
    found = {name.removeprefix(prefix) for name in ours if name.startswith(prefix)}
    pairs = [
        ("parameters trained", ours["count.trained"].item(), tuned.trained_elements),
        ("parameters", ours["count.all"].item(), tuned.elements),
        (
            "bytes of quantized matrices",
            ours["bytes.quantized"].item(),
            sum(tensor.nbytes for tensor in quantized_tensors(network.module)),
        ),
    ]
    texts = [f"{found:,} {what}, theirs {expected:,}" for what, found, expected in pairs if found != expected]
    if more := sorted(found - tuned.trained.keys()):
        texts.append(f"trained here alone: {', '.join(more)}")
    return texts


def _piece_name(name: str, index: int, count: int) -> str:
    return name if count == 1 else f"{name}, part {index + 1} of {count}"


def _relative_error(found: Tensor, expected: Tensor, least: float = 0.0) -> float:
    difference = (found - expected).norm().item()
    scale = max(expected.norm().item(), least)
    if scale == 0:
        return 0.0 if difference == 0 else float("inf")
    # NaN is an error too, and max() could lose it.
    return difference / scale if difference == difference else float("inf")


def _run_ours(
    case: Case, network: Network, tuned: Tuned, batch: Batch, program: Path
) -> dict[str, Tensor]:
    """Runs our program; returns the loss, the gradients, and the counts that it writes."""
    given = {f"parameters.{name}": value for name, value in tuned.values.items()}
    given |= {f"inputs.{i}": value for i, value in enumerate(batch.inputs)}
    given["targets"] = batch.targets
    with tempfile.TemporaryDirectory() as folder:
        load, tensors, result = (Path(folder, name) for name in ("load.json", "given.pt", "result.pt"))
        load.write_text(json.dumps(network.load_message() | case.options | tuned.message))
        torch.save({name: value.detach().contiguous() for name, value in given.items()}, tensors)
        samples = [str(size) for size in case.micro_batches]
        subprocess.run([program, load, tensors, result, *samples], check=True)
        # The file is trusted, since our own program wrote it. weights_only=True does not accept a dictionary from C++.
        return torch.load(result, weights_only=False)
