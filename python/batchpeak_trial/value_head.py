# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A reward model as LLaMA-Factory trains it: a network that goes on with texts, and a value of each token.

Its loss is that of PairwiseTrainer in train/rm/trainer.py of LLaMA-Factory 0.9, around
AutoModelForCausalLMWithValueHead of trl 0.24 (trl/models/modeling_value_head.py), which later versions of trl
have no more. Both are written anew here. The collator gives labels too, so that all logits and the loss over
the vocabulary are computed, held until the values are there, and then dropped."""

from __future__ import annotations

import torch

from .batches import NOT_COUNTED, PROMPT

NAME = "value-head"
# ValueHead.__init__, where a configuration does not say otherwise.
_DROPOUT = 0.1


class WithValueHead(torch.nn.Module):
    """Tells logits, the loss over the vocabulary, and a value of each token, all in fp32."""

    def __init__(self, network):
        super().__init__()
        self.network = network
        size = network.config.get_text_config().hidden_size
        self.dropout = torch.nn.Dropout(_DROPOUT)
        # In fp32 whatever the network has: nothing says otherwise where it is made.
        self.summary = torch.nn.Linear(size, 1, dtype=torch.float32)

    @property
    def config(self):
        return self.network.config

    def unreached_parameters(self) -> list:
        """Of an output that is no embedding too: what it tells is dropped."""
        shared = {id(parameter) for parameter in self.network.get_input_embeddings().parameters()}
        return [
            parameter
            for parameter in self.network.get_output_embeddings().parameters()
            if id(parameter) not in shared
        ]

    def forward(self, **batch):
        output = self.network(output_hidden_states=True, return_dict=True, use_cache=False, **batch)
        hidden = self.dropout(output.hidden_states[-1]).to(self.summary.weight.dtype)
        values = self.summary(hidden).squeeze(-1)
        return output.logits.float(), output.loss, values


class ValueHeadLoss:
    """Of one network, which goes forward in the context that casts() makes, as accelerate has it."""

    def __init__(self, network, length: int, device: torch.device, casts):
        with device:
            self.module = WithValueHead(network)
        self._length, self._casts = length, casts

    @property
    def added_parameters(self) -> int:
        return sum(parameter.numel() for parameter in self.module.summary.parameters())

    def __call__(self, batch: dict) -> torch.Tensor:
        with self._casts():
            # Only the return from here drops the loss over the vocabulary.
            _, _unused, values = self.module(**batch)
        last = batch["attention_mask"].sum(dim=-1, keepdim=True) - 1
        chosen, rejected = values.float().gather(-1, last).squeeze(-1).chunk(2)
        return -torch.nn.functional.logsigmoid(chosen - rejected).mean()

    def samples(self, tokens):
        """Makes a batch of so many samples: first all chosen texts, then the rejected ones. tokens(texts,
        length) draws texts without padding."""

        def make(samples: int) -> dict:
            ids = tokens(2 * samples, self._length)
            labels = ids.clone()
            labels[:, :PROMPT] = NOT_COUNTED
            return {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": labels}

        return make
