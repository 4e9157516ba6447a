# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from transformers import T5Config, T5ForConditionalGeneration

from .network import Batch, Network, linear, random_tokens


class T5(Network):
    """T5 1.0, or if gated T5 1.1, whose projection onto the vocabulary has its own matrix."""

    def __init__(
        self,
        layers: int,
        width: int,
        heads: int,
        head_size: int,
        feed_forward: int,
        vocabulary: int,
        length: int,
        target_length: int,
        gated: bool = False,
    ):
        config = T5Config(
            vocab_size=vocabulary,
            d_model=width,
            d_kv=head_size,
            d_ff=feed_forward,
            num_layers=layers,
            num_heads=heads,
            dropout_rate=0.0,
            feed_forward_proj="gated-gelu" if gated else "relu",
            decoder_start_token_id=0,
            # transformers shares the matrix anyway; it takes this as whether to scale the hidden state before it.
            tie_word_embeddings=not gated,
        )
        self.module = T5ForConditionalGeneration._from_config(config, attn_implementation="sdpa")
        if gated:
            self.module.lm_head.weight = torch.nn.Parameter(self.module.shared.weight.detach().clone())
        self.vocabulary = vocabulary
        self.sequence_length = length
        self.target_length = target_length
        self.model = {
            "family": "t5",
            "vocabulary_size": vocabulary,
            "hidden_size": width,
            "encoder_layers": layers,
            "decoder_layers": layers,
            "heads": heads,
            "head_size": head_size,
            "feed_forward_size": feed_forward,
            "relative_buckets": config.relative_attention_num_buckets,
            "max_relative_distance": config.relative_attention_max_distance,
            "activation": "geglu_new" if gated else "relu",
            "tied_embeddings": not gated,
            "normalization_epsilon": config.layer_norm_epsilon,
        }
        self.pieces = linear("embed_tokens", "shared", bias=False)
        if gated:
            self.pieces |= linear("output", "lm_head", bias=False)
        for stack, sublayers in (("encoder", 2), ("decoder", 3)):
            first = f"{stack}.block.0.layer.0.SelfAttention"
            positions = f"{stack}.relative_positions"
            self.pieces |= linear(positions, f"{first}.relative_attention_bias", bias=False)
            self.pieces |= linear(f"{stack}.final_norm", f"{stack}.final_layer_norm", bias=False)
            for layer in range(layers):
                ours, theirs = f"{stack}.layers.{layer}", f"{stack}.block.{layer}.layer"
                self._add_self_attention(ours, f"{theirs}.0")
                if stack == "decoder":
                    self._add_cross_attention(ours, f"{theirs}.1")
                self._add_feed_forward(ours, f"{theirs}.{sublayers - 1}", gated)

    def _add_self_attention(self, ours: str, theirs: str) -> None:
        attention = f"{theirs}.SelfAttention"
        parts = (f"{attention}.{part}" for part in "qkv")
        self.pieces |= linear(f"{ours}.attention_norm", f"{theirs}.layer_norm", bias=False)
        self.pieces |= linear(f"{ours}.attention.qkv", *parts, bias=False)
        self.pieces |= linear(f"{ours}.attention.output", f"{attention}.o", bias=False)

    def _add_cross_attention(self, ours: str, theirs: str) -> None:
        attention = f"{theirs}.EncDecAttention"
        cross = f"{ours}.cross_attention"
        self.pieces |= linear(f"{cross}_norm", f"{theirs}.layer_norm", bias=False)
        self.pieces |= linear(f"{cross}.query", f"{attention}.q", bias=False)
        self.pieces |= linear(f"{cross}.key_value", f"{attention}.k", f"{attention}.v", bias=False)
        self.pieces |= linear(f"{cross}.output", f"{attention}.o", bias=False)

    def _add_feed_forward(self, ours: str, theirs: str, gated: bool) -> None:
        dense = f"{theirs}.DenseReluDense"
        inner = (f"{dense}.wi_0", f"{dense}.wi_1") if gated else (f"{dense}.wi",)
        self.pieces |= linear(f"{ours}.feed_forward_norm", f"{theirs}.layer_norm", bias=False)
        self.pieces |= linear(f"{ours}.feed_forward.up", *inner, bias=False)
        self.pieces |= linear(f"{ours}.feed_forward.down", f"{dense}.wo", bias=False)

    def batch(self, samples: int) -> Batch:
        tokens = random_tokens(samples, self.sequence_length, self.vocabulary)
        targets = random_tokens(samples, self.target_length, self.vocabulary)
        decoder_tokens = self.module._shift_right(targets)
        arguments = {"input_ids": tokens, "decoder_input_ids": decoder_tokens, "labels": targets}
        return Batch(arguments, [tokens, decoder_tokens], targets)

    def loss(self, batch: Batch) -> torch.Tensor:
        return self.module(**batch.arguments, use_cache=False).loss
