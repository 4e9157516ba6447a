# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
from transformers import MixtralConfig, MixtralForCausalLM

from .causal import CausalNetwork
from .llama import rotary_decoder, rotary_pieces
from .network import Piece, linear


class Mixtral(CausalNetwork):
    def __init__(
        self,
        layers: int,
        width: int,
        heads: int,
        key_value_heads: int,
        feed_forward: int,
        experts: int,
        experts_per_token: int,
        vocabulary: int,
        length: int,
    ):
        config = MixtralConfig(
            vocab_size=vocabulary,
            hidden_size=width,
            intermediate_size=feed_forward,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            num_key_value_heads=key_value_heads,
            num_local_experts=experts,
            num_experts_per_tok=experts_per_token,
            max_position_embeddings=length,
            bos_token_id=None,
            eos_token_id=None,
        )
        self.module = MixtralForCausalLM._from_config(config, attn_implementation="sdpa")
        self.vocabulary = vocabulary
        self.sequence_length = length
        self.model = {
            "family": "mixtral",
            "layers": layers,
            "feed_forward_size": feed_forward,
            "experts": experts,
            "experts_per_token": experts_per_token,
            **rotary_decoder(config),
        }
        self.pieces = rotary_pieces(layers, tied=False)
        for layer in range(layers):
            ours, theirs = f"layers.{layer}", f"model.layers.{layer}.mlp"
            self.pieces |= linear(f"{ours}.router", f"{theirs}.gate", bias=False)
            self.pieces[f"{ours}.experts.up"] = [Piece(f"{theirs}.experts.gate_up_proj")]
            self.pieces[f"{ours}.experts.down"] = [Piece(f"{theirs}.experts.down_proj")]
