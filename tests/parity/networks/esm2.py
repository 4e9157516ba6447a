# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from transformers import EsmConfig, EsmForMaskedLM

from .masked import at_places, random_places
from .network import Batch, Network, Piece, linear

# Padding in ESM-2's alphabet, which transformers would mask.
PADDING = 1
FIRST_PLAIN_TOKEN = 4


class Esm2(Network):
    def __init__(
        self, layers: int, width: int, heads: int, feed_forward: int, vocabulary: int, length: int
    ):
        self.mask_token = vocabulary - 1
        config = EsmConfig(
            vocab_size=vocabulary,
            hidden_size=width,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            intermediate_size=feed_forward,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
            layer_norm_eps=1e-5,
            position_embedding_type="rotary",
            emb_layer_norm_before=False,
            token_dropout=True,
            mask_token_id=self.mask_token,
            pad_token_id=PADDING,
        )
        self.module = EsmForMaskedLM._from_config(config, attn_implementation="sdpa")
        # It does not contribute to the loss.
        self.module.esm.contact_head = None
        self.vocabulary = vocabulary
        self.sequence_length = length
        self.model = {
            "family": "esm2",
            "vocabulary_size": vocabulary,
            "hidden_size": width,
            "layers": layers,
            "heads": heads,
            "feed_forward_size": feed_forward,
            "max_positions": length,
            "token_types": 0,
            "position_embedding": "rotary",
            "rope_theta": config.rope_theta,
            "activation": "gelu_python",
            "normalizes_first": True,
            "embedding_normalization": False,
            "final_normalization": True,
            "token_dropout": True,
            "mask_token": self.mask_token,
            "normalization_epsilon": config.layer_norm_eps,
        }
        self.pieces = {
            **linear("embed_tokens", "esm.embeddings.word_embeddings", bias=False),
            **linear("final_norm", "esm.encoder.emb_layer_norm_after"),
            **linear("head.transform", "lm_head.dense"),
            **linear("head.norm", "lm_head.layer_norm"),
            "output.bias": [Piece("lm_head.bias")],
        }
        for layer in range(layers):
            ours, theirs = f"layers.{layer}", f"esm.encoder.layer.{layer}"
            attention = f"{theirs}.attention"
            parts = (f"{attention}.self.{part}" for part in ("query", "key", "value"))
            self.pieces |= linear(f"{ours}.attention_norm", f"{attention}.LayerNorm")
            self.pieces |= linear(f"{ours}.attention.qkv", *parts)
            self.pieces |= linear(f"{ours}.attention.output", f"{attention}.output.dense")
            self.pieces |= linear(f"{ours}.feed_forward_norm", f"{theirs}.LayerNorm")
            self.pieces |= linear(f"{ours}.feed_forward.up", f"{theirs}.intermediate.dense")
            self.pieces |= linear(f"{ours}.feed_forward.down", f"{theirs}.output.dense")

    def batch(self, samples: int) -> Batch:
        originals = torch.randint(FIRST_PLAIN_TOKEN, self.mask_token, (samples, self.sequence_length))
        places = random_places(samples, self.sequence_length)
        tokens = originals.scatter(1, places[:, 1:], self.mask_token)
        # Samples have different numbers of masked tokens.
        tokens[0, places[0, 0]] = self.mask_token
        labels = at_places(originals, places)
        return Batch({"input_ids": tokens, "labels": labels}, [tokens], labels)
