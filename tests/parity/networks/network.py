# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A network as users of PyTorch have it, and Batchpeak's description of it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

# Targets with this value are ignored by the loss on both sides.
NOT_COUNTED = -100


@dataclass(frozen=True)
class Piece:
    """Rows of one of our parameters that come from one of theirs.

    turn only selects, moves and reshapes elements, so it maps gradients in the same way as values.
    """

    name: str
    turn: Callable[[Tensor], Tensor] = lambda theirs: theirs
    # Maps a tensor with one row for each output; None if turn does that too.
    turn_rows: Callable[[Tensor], Tensor] | None = None
    # Constant that their network adds to its values in use; it does not affect gradients.
    shift: float = 0.0

    def rows(self, theirs: Tensor) -> Tensor:
        return (self.turn_rows or self.turn)(theirs)


@dataclass(frozen=True)
class Batch:
    """One micro-batch: keyword arguments of their forward, and ordered inputs of ours."""

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
    """A network on both sides: module is theirs; model is its description in the load message of the trial protocol.

    pieces lists, for each of our parameters, the parameters of theirs that it is stacked from along its rows.
    """

    module: torch.nn.Module
    model: dict[str, object]
    pieces: dict[str, list[Piece]]
    sequence_length: int
    # Sequence length of the decoder, in networks that also have an encoder.
    target_length: int | None = None

    @abstractmethod
    def batch(self, samples: int) -> Batch:
        """Returns a random batch from torch's default generator."""

    def loss(self, batch: Batch) -> Tensor:
        """Returns their mean loss over the counted targets."""
        return self.module(**batch.arguments).loss

    def load_message(self) -> dict[str, object]:
        """Returns the load message for our worker, as in docs/trial-protocol.md."""
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
        """Returns the pieces of their parameters under our names."""
        return {
            name: [piece.turn(theirs[piece.name]) + piece.shift for piece in pieces]
            for name, pieces in self.pieces.items()
        }

    def randomize(self) -> None:
        """Sets random weights, large enough that attention is far from uniform. All scales and biases differ."""
        with torch.no_grad():
            for parameter in self.module.parameters():
                if parameter.dim() == 1:
                    parameter.add_(0.2 * torch.randn_like(parameter))
                else:
                    inputs = parameter.shape[-1] if parameter.dim() == 3 else parameter[0].numel()
                    parameter.normal_(0.0, inputs**-0.5)


def linear(ours: str, *theirs: str, bias: bool = True) -> dict[str, list[Piece]]:
    """Returns the pieces of a layer of ours that stacks several of theirs."""
    kinds = ("weight", "bias") if bias else ("weight",)
    return {f"{ours}.{kind}": [Piece(f"{name}.{kind}") for name in theirs] for kind in kinds}


def of_every_head(heads: int, part: int) -> Callable[[Tensor], Tensor]:
    """Returns a turn that selects one part of each head, for networks that stack query, key and value of the first
    head, then those of the second, and so on."""
    return lambda theirs: theirs.unflatten(0, (heads, 3, -1))[:, part].flatten(0, 1)


def halves_of_pairs(heads: int, rotated: int | None = None) -> Callable[[Tensor], Tensor]:
    """Returns a turn for networks that rotate each element of a head with the next one. In our network, the other
    element of the pair is half a head later."""

    def turn(theirs: Tensor) -> Tensor:
        of_heads = theirs.unflatten(0, (heads, -1))
        pairs, rest = of_heads[:, :rotated], of_heads[:, rotated:] if rotated else of_heads[:, :0]
        return torch.cat((pairs[:, 0::2], pairs[:, 1::2], rest), 1).flatten(0, 1)

    return turn


def random_tokens(samples: int, length: int, vocabulary: int) -> Tensor:
    return torch.randint(vocabulary, (samples, length))
