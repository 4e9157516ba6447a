# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A network as PyTorch's users have it, beside the same network as Batchpeak describes it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

# Targets of this value take no part in the loss, here as there.
NOT_COUNTED = -100


@dataclass(frozen=True)
class Piece:
    """Rows of one of our parameters, made of one of theirs.

    turn only selects, moves and reshapes elements, so it maps gradients as it maps values.
    """

    name: str
    turn: Callable[[Tensor], Tensor] = lambda theirs: theirs
    # The same of what has one row for each output whatever the matrix is like, where that differs.
    turn_rows: Callable[[Tensor], Tensor] | None = None
    # What theirs adds to its values where it uses them; gradients do not see it.
    shift: float = 0.0

    def rows(self, theirs: Tensor) -> Tensor:
        return (self.turn_rows or self.turn)(theirs)


@dataclass(frozen=True)
class Batch:
    """One micro-batch: what their forward takes by name, and what ours takes in order."""

    arguments: dict[str, Tensor]
    inputs: list[Tensor]
    targets: Tensor

    def to(self, device: str) -> "Batch":
        return Batch(
            {name: value.to(device) for name, value in self.arguments.items()},
            [value.to(device) for value in self.inputs],
            self.targets.to(device),
        )


class Network(ABC):
    """Theirs is module; ours is model, the description that the trial protocol's load message takes.

    pieces says, for each of our parameters, which of theirs it is stacked from along its rows.
    """

    module: torch.nn.Module
    model: dict[str, object]
    pieces: dict[str, list[Piece]]
    sequence_length: int
    # The decoder's, in networks that have an encoder as well.
    target_length: int | None = None

    @abstractmethod
    def batch(self, samples: int) -> Batch:
        """Random, from torch's default generator."""

    def loss(self, batch: Batch) -> Tensor:
        """Their mean loss over the counted targets."""
        return self.module(**batch.arguments).loss

    def load_message(self) -> dict[str, object]:
        """What our worker is told, in the words of docs/trial-protocol.md."""
        message = {
            "type": "load",
            "model": self.model,
            "phase": "train",
            "sequence_length": self.sequence_length,
            "precision": "fp32",
            "optimizer": "adamw",
            "memory_limit_bytes": 0,
            "seed": 1,
        }
        if self.target_length is not None:
            message["decoder_sequence_length"] = self.target_length
        return message

    def as_ours(self, theirs: Mapping[str, Tensor]) -> dict[str, list[Tensor]]:
        """Their parameters under our names, in pieces."""
        return {
            name: [piece.turn(theirs[piece.name]) + piece.shift for piece in pieces]
            for name, pieces in self.pieces.items()
        }

    def randomize(self) -> None:
        """Weights large enough that attention is far from even, and no two scales or biases alike."""
        with torch.no_grad():
            for parameter in self.module.parameters():
                if parameter.dim() == 1:
                    parameter.add_(0.2 * torch.randn_like(parameter))
                else:
                    inputs = parameter.shape[-1] if parameter.dim() == 3 else parameter[0].numel()
                    parameter.normal_(0.0, inputs**-0.5)


def linear(ours: str, *theirs: str, bias: bool = True) -> dict[str, list[Piece]]:
    """The pieces of a layer of ours that stacks some of theirs."""
    kinds = ("weight", "bias") if bias else ("weight",)
    return {f"{ours}.{kind}": [Piece(f"{name}.{kind}") for name in theirs] for kind in kinds}


def of_every_head(heads: int, part: int) -> Callable[[Tensor], Tensor]:
    """Some stack head by head: query, key and value of the first, then those of the second."""
    return lambda theirs: theirs.unflatten(0, (heads, 3, -1))[:, part].flatten(0, 1)


def halves_of_pairs(heads: int, rotated: int | None = None) -> Callable[[Tensor], Tensor]:
    """Some rotate each element of a head with the next one, where ours has the other of the pair half a head later."""

    def turn(theirs: Tensor) -> Tensor:
        of_heads = theirs.unflatten(0, (heads, -1))
        pairs, rest = of_heads[:, :rotated], of_heads[:, rotated:] if rotated else of_heads[:, :0]
        return torch.cat((pairs[:, 0::2], pairs[:, 1::2], rest), 1).flatten(0, 1)

    return turn


def random_tokens(samples: int, length: int, vocabulary: int) -> Tensor:
    return torch.randint(vocabulary, (samples, length))
