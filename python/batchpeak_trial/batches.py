# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random micro-batches, as keyword arguments of transformers' networks."""

from __future__ import annotations

import torch

NOT_COUNTED = -100
# Tokens of the prompt in a preference sample. All other tokens are the answer, which costs the most.
PROMPT = 1
# BERT, arXiv 1810.04805, section 3.1.
_PREDICTED_SHARE = 0.15
# Lower tokens of ESM-2's alphabet are special, such as padding.
_FIRST_PLAIN_TOKEN = 4


def masked_labels(tokens: torch.Tensor, count: int = 0) -> torch.Tensor:
    """Returns labels of texts in which count random tokens of each text are predicted; without a count, BERT's
    share of them."""
    places = _predicted_places(tokens, count)
    return torch.full_like(tokens, NOT_COUNTED).scatter(1, places, tokens.gather(1, places))


def _predicted_places(tokens: torch.Tensor, count: int) -> torch.Tensor:
    texts, length = tokens.shape
    count = count or max(1, round(_PREDICTED_SHARE * length))
    return torch.rand(texts, length).topk(min(count, length), 1).indices


class Batches:
    """Makes the batches of a completed model in main memory, pinned for a GPU, as a data loader does.

    make(samples) replaces the function of the model's family; it returns all inputs of so many samples by
    name."""

    def __init__(self, model: dict, request: dict, device: torch.device, make=None):
        self._model, self._device = model, device
        self._length = request.get("sequence_length", 1)
        self._target_length = request.get("decoder_sequence_length") or self._length
        makers = {
            "bert": self._bert,
            "esm2": self._esm2,
            "t5": self._t5,
            "vit": self._images,
            "resnet": self._images,
        }
        self._maker = make or makers.get(model["family"], self._causal)
        self._size, self._batch = 0, {}

    def of(self, size: int) -> dict:
        """Returns a batch on the device. It is made once for a size, and copied to the device in each step."""
        self.make(size)
        return {name: self._moved(value) for name, value in self._batch.items()}

    def make(self, size: int) -> None:
        if size == self._size:
            return
        self.drop()
        self._batch = {name: self._pinned(value) for name, value in self._maker(size).items()}
        self._size = size

    def drop(self) -> None:
        self._size, self._batch = 0, {}

    def _pinned(self, value):
        is_copied = self._device.type == "cuda" and isinstance(value, torch.Tensor)
        return value.pin_memory() if is_copied else value

    def _moved(self, value):
        """Moves tensors to the device; some collators also return lists."""
        return value.to(self._device, non_blocking=True) if isinstance(value, torch.Tensor) else value

    def _tokens(self, samples: int, length: int) -> torch.Tensor:
        return torch.randint(self._model["vocabulary_size"], (samples, length))

    def _causal(self, samples: int) -> dict:
        tokens = self._tokens(samples, self._length)
        return {"input_ids": tokens, "labels": tokens}

    def _bert(self, samples: int) -> dict:
        model, tokens = self._model, self._tokens(samples, self._length)
        batch = {"input_ids": tokens}
        if model["token_types"] > 0:
            batch["token_type_ids"] = torch.randint(model["token_types"], (samples, self._length))
        if not model["masked_language_head"]:
            return {**batch, "labels": torch.randint(model["sentence_classes"], (samples,))}
        if model["predicted_tokens"]:
            batch["places"] = _predicted_places(tokens, model["predicted_tokens"])
            batch["labels"] = tokens.gather(1, batch["places"])
        else:
            batch["labels"] = masked_labels(tokens)
        if model["next_sentence_head"]:
            batch["next_sentence_label"] = torch.randint(model["sentence_classes"], (samples,))
        return batch

    def _esm2(self, samples: int) -> dict:
        last = self._model["vocabulary_size"]
        tokens = torch.randint(min(_FIRST_PLAIN_TOKEN, last - 1), last, (samples, self._length))
        labels = masked_labels(tokens, self._model["predicted_tokens"])
        masked = tokens.masked_fill(labels != NOT_COUNTED, self._model["mask_token"])
        return {"input_ids": masked, "labels": labels}

    def _t5(self, samples: int) -> dict:
        tokens = self._tokens(samples, self._length)
        return {"input_ids": tokens, "labels": self._tokens(samples, self._target_length)}

    def _images(self, samples: int) -> dict:
        model = self._model
        images = torch.randn(samples, model["channels"], model["image_size"], model["image_size"])
        return {"pixel_values": images, "labels": torch.randint(model["classes"], (samples,))}
