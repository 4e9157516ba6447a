# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random samples for a network that a config.json describes, as keyword arguments of its class."""

from __future__ import annotations

import torch

from . import configured_networks as networks
from .batches import masked_labels
from .serving import Refusal


class ConfiguredSamples:
    """Makes texts of one length without padding, or images, with labels for the task of the class.

    Texts contain no special tokens, such as placeholders of images."""

    def __init__(self, network: networks.ConfiguredNetwork, module, request: dict):
        self._network = network
        self._length = request.get("sequence_length") or 1
        self._target_length = request.get("decoder_sequence_length") or self._length
        if network.task == networks.IMAGE_CLASSES:
            return
        self._vocabulary = _vocabulary(network, module)
        special = sorted(_special_tokens(network.config))
        self._special = torch.tensor(special, dtype=torch.long)
        plain = (token for token in range(self._vocabulary) if token not in set(special))
        self._plain = next(plain, 0)
        _check_positions(module, self._length, network)

    def __call__(self, samples: int) -> dict:
        if self._network.task == networks.IMAGE_CLASSES:
            return self._images(samples)
        tokens = self.tokens(samples, self._length)
        batch = {"input_ids": tokens}
        if self._network.takes("attention_mask"):
            batch["attention_mask"] = torch.ones_like(tokens)
        return {**batch, **self._labels(samples, tokens)}

    def tokens(self, samples: int, length: int) -> torch.Tensor:
        drawn = torch.randint(self._vocabulary, (samples, length))
        return drawn.masked_fill(torch.isin(drawn, self._special), self._plain)

    def _labels(self, samples: int, tokens: torch.Tensor) -> dict:
        task, classes = self._network.task, getattr(self._network.config, "num_labels", 2) or 2
        if task == networks.CAUSAL:
            return {"labels": tokens.clone()}
        if task == networks.MASKED:
            return {"labels": masked_labels(tokens)}
        if task == networks.TRANSLATED:
            return {"labels": self.tokens(samples, self._target_length)}
        if task == networks.TOKEN_CLASSES:
            return {"labels": torch.randint(classes, (samples, self._length))}
        if task == networks.SPANS:
            ends = torch.randint(self._length, (2, samples)).sort(0).values
            return {"start_positions": ends[0], "end_positions": ends[1]}
        is_number = classes == 1 or getattr(self._network.config, "problem_type", None) == "regression"
        return {"labels": torch.rand(samples) if is_number else torch.randint(classes, (samples,))}

    def _images(self, samples: int) -> dict:
        config = self._network.config
        config = getattr(config, "vision_config", None) or config
        size, channels = getattr(config, "image_size", 224), getattr(config, "num_channels", 3)
        height, width = size if isinstance(size, (list, tuple)) else (size, size)
        classes = getattr(self._network.config, "num_labels", 2)
        images = torch.randn(samples, channels, height, width)
        return {"pixel_values": images, "labels": torch.randint(classes, (samples,))}


def _vocabulary(network: networks.ConfiguredNetwork, module) -> int:
    """Returns the size of the vocabulary: the smaller one of the config's and the embedding's."""
    found = [getattr(network.text_config, "vocab_size", None)]
    try:
        found.append(module.get_input_embeddings().num_embeddings)
    except (AttributeError, NotImplementedError):
        found.append(None)
    sizes = [size for size in found if isinstance(size, int) and size > 0]
    if not sizes:
        raise Refusal("The config of transformers' %s does not state the size of its vocabulary." % network.name)
    return min(sizes)


def _special_tokens(config) -> set:
    """Returns the special tokens of a configuration and of the configurations in it. A key has one token or
    several."""
    found = set()
    for key, value in config.to_dict().items():
        if isinstance(value, dict):
            part = getattr(config, key, None)
            found |= _special_tokens(part) if hasattr(part, "to_dict") else set()
        elif key.endswith(("_token_id", "_token_index", "_token_ids")):
            values = value if isinstance(value, (list, tuple)) else [value]
            found |= {token for token in values if type(token) is int and token >= 0}
    return found


def _check_positions(module, length: int, network: networks.ConfiguredNetwork) -> None:
    """Raises Refusal if a table of positions is too short: on a GPU, the first step would lose the context."""
    for name, part in module.named_modules():
        last = name.rpartition(".")[2]
        is_table = isinstance(part, torch.nn.Embedding) and ("position" in last or last == "wpe")
        is_of_text = "vision" not in name and "relative" not in name and "image" not in name
        if is_table and is_of_text and "visual" not in name and part.num_embeddings < length:
            text = "transformers' %s has positions for %d tokens, and samples have %d. Set a shorter length."
            raise Refusal(text % (network.name, part.num_embeddings, length))
