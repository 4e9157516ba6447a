# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
from transformers import Qwen3Config, Qwen3ForCausalLM

from .causal import CausalNetwork
from .llama import gated_pieces, rotary_decoder, rotary_pieces
from .network import linear


class Qwen3(CausalNetwork):
    def __init__(
        self,
        layers: int,
        width: int,
        heads: int,
        key_value_heads: int,
        head_size: int,
        feed_forward: int,
        vocabulary: int,
        length: int,
        tied: bool = False,
    ):
        config = Qwen3Config(
            vocab_size=vocabulary,
            hidden_size=width,
            intermediate_size=feed_forward,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            num_key_value_heads=key_value_heads,
            head_dim=head_size,
            max_position_embeddings=length,
            tie_word_embeddings=tied,
            bos_token_id=None,
            eos_token_id=None,
        )
        self.module = Qwen3ForCausalLM._from_config(config, attn_implementation="sdpa")
        self.vocabulary = vocabulary
        self.sequence_length = length
        self.model = {
            "family": "qwen3",
            "layers": layers,
            "head_size": head_size,
            "feed_forward_size": feed_forward,
            "query_key_normalization": True,
            **rotary_decoder(config),
        }
        self.pieces = rotary_pieces(layers, tied) | gated_pieces(layers)
        for layer in range(layers):
            ours, theirs = f"layers.{layer}.attention", f"model.layers.{layer}.self_attn"
            self.pieces |= linear(f"{ours}.query_norm", f"{theirs}.q_norm", bias=False)
            self.pieces |= linear(f"{ours}.key_norm", f"{theirs}.k_norm", bias=False)
