# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A reward model as LLaMA-Factory trains it: a language model with a head that computes a value for each token.

The loss is that of PairwiseTrainer in train/rm/trainer.py of LLaMA-Factory 0.9, with
AutoModelForCausalLMWithValueHead of trl 0.24 (trl/models/modeling_value_head.py), which later versions of trl do
not have. Both are reimplemented here. As the collator returns labels too, all logits and the loss over the
vocabulary are computed, kept until the values are computed, and then dropped."""

from __future__ import annotations

import torch

from .batches import NOT_COUNTED, PROMPT

NAME = "value-head"
# The default in ValueHead.__init__.
_DROPOUT = 0.1


class WithValueHead(torch.nn.Module):
    """Returns logits and a value of each token in fp32, and the loss over the vocabulary."""

    def __init__(self, network):
        super().__init__()
        self.network = network
        size = network.config.get_text_config().hidden_size
        self.dropout = torch.nn.Dropout(_DROPOUT)
        # fp32 whatever the network's dtype is: ValueHead sets no dtype.
        self.summary = torch.nn.Linear(size, 1, dtype=torch.float32)

    @property
    def config(self):
        return self.network.config

    def unreached_parameters(self) -> list:
        """Returns the parameters of the output layer unless they are tied to the embedding, since its loss is
        dropped."""
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
    """Computes the loss of one network, whose forward runs in the context of casts(), as accelerate does."""

    def __init__(self, network, length: int, device: torch.device, casts):
        with device:
            self.module = WithValueHead(network)
        self._length, self._casts = length, casts

    @property
    def added_parameters(self) -> int:
        return sum(parameter.numel() for parameter in self.module.summary.parameters())

    def __call__(self, batch: dict) -> torch.Tensor:
        with self._casts():
            # The loss over the vocabulary stays in memory until this function returns.
            _, _unused, values = self.module(**batch)
        last = batch["attention_mask"].sum(dim=-1, keepdim=True) - 1
        chosen, rejected = values.float().gather(-1, last).squeeze(-1).chunk(2)
        return -torch.nn.functional.logsigmoid(chosen - rejected).mean()

    def samples(self, tokens):
        """Returns a function that makes a batch of a number of samples: first all chosen texts, then the rejected
        ones. tokens(texts, length) draws texts without padding."""

        def make(samples: int) -> dict:
            ids = tokens(2 * samples, self._length)
            labels = ids.clone()
            labels[:, :PROMPT] = NOT_COUNTED
            return {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": labels}

        return make
