# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The common base of transformers' decoder-only language models."""

import torch
from torch import Tensor

from .network import NOT_COUNTED, Batch, Network, random_tokens


class CausalNetwork(Network):
    vocabulary: int

    def batch(self, samples: int) -> Batch:
        tokens = random_tokens(samples, self.sequence_length, self.vocabulary)
        return Batch({"input_ids": tokens, "labels": tokens}, [tokens], next_tokens(tokens))

    def loss(self, batch: Batch) -> Tensor:
        # As in training: the cache of keys and values is only for generation.
        return self.module(**batch.arguments, use_cache=False).loss


def next_tokens(tokens: Tensor) -> Tensor:
    """Returns the targets: position t predicts token t + 1, and the last position does not count."""
    return torch.nn.functional.pad(tokens[:, 1:], (0, 1), value=NOT_COUNTED)
