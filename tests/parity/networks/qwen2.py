# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
from transformers import Qwen2Config, Qwen2ForCausalLM

from .causal import CausalNetwork
from .llama import gated_pieces, rotary_decoder, rotary_pieces


class Qwen2(CausalNetwork):
    def __init__(
        self,
        layers: int,
        width: int,
        heads: int,
        key_value_heads: int,
        feed_forward: int,
        vocabulary: int,
        length: int,
        tied: bool = False,
    ):
        config = Qwen2Config(
            vocab_size=vocabulary,
            hidden_size=width,
            intermediate_size=feed_forward,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            num_key_value_heads=key_value_heads,
            max_position_embeddings=length,
            tie_word_embeddings=tied,
            bos_token_id=None,
            eos_token_id=None,
        )
        self.module = Qwen2ForCausalLM._from_config(config, attn_implementation="sdpa")
        self.vocabulary = vocabulary
        self.sequence_length = length
        self.model = {
            "family": "qwen2",
            "layers": layers,
            "feed_forward_size": feed_forward,
            **rotary_decoder(config),
            "attention_bias": True,
        }
        self.pieces = rotary_pieces(layers, tied, bias=True) | gated_pieces(layers)
