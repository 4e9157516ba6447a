# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the decoder-only language models of transformers have in common."""

import torch
from torch import Tensor

from .network import NOT_COUNTED, Batch, Network, random_tokens


class CausalNetwork(Network):
    vocabulary: int

    def batch(self, samples: int) -> Batch:
        tokens = random_tokens(samples, self.sequence_length, self.vocabulary)
        return Batch({"input_ids": tokens, "labels": tokens}, [tokens], next_tokens(tokens))

    def loss(self, batch: Batch) -> Tensor:
        # As in training: the cache of keys and values only serves generation.
        return self.module(**batch.arguments, use_cache=False).loss


def next_tokens(tokens: Tensor) -> Tensor:
    """transformers lets position t predict token t + 1, and leaves the last position out."""
    return torch.nn.functional.pad(tokens[:, 1:], (0, 1), value=NOT_COUNTED)
