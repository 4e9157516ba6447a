# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
from transformers import GPT2Config, GPT2LMHeadModel, GPTBigCodeConfig, GPTBigCodeForCausalLM

from .causal import CausalNetwork
from .network import Piece, linear


class Gpt2(CausalNetwork):
    family = "gpt2"
    activation = "gelu_new"
    classes = GPT2Config, GPT2LMHeadModel

    def __init__(
        self, layers: int, width: int, heads: int, vocabulary: int, length: int, tied: bool = True
    ):
        config_class, network_class = self.classes
        config = config_class(
            vocab_size=vocabulary,
            n_positions=length,
            n_embd=width,
            n_layer=layers,
            n_head=heads,
            resid_pdrop=0.0,
            embd_pdrop=0.0,
            attn_pdrop=0.0,
            tie_word_embeddings=tied,
            bos_token_id=None,
            eos_token_id=None,
        )
        self.module = network_class._from_config(config, attn_implementation="sdpa")
        self.vocabulary = vocabulary
        self.sequence_length = length
        self.model = {
            "family": self.family,
            "vocabulary_size": vocabulary,
            "hidden_size": width,
            "layers": layers,
            "heads": heads,
            "key_value_heads": heads,
            "feed_forward_size": 4 * width,
            "max_positions": length,
            "position_embedding": "learned",
            "normalization": "layernorm",
            "activation": self.activation,
            "tied_embeddings": tied,
            "normalization_epsilon": config.layer_norm_epsilon,
        }
        self.pieces = {
            "embed_tokens.weight": [Piece("transformer.wte.weight")],
            "embed_positions.weight": [Piece("transformer.wpe.weight")],
            **linear("final_norm", "transformer.ln_f"),
        }
        for layer in range(layers):
            ours, theirs = f"layers.{layer}", f"transformer.h.{layer}"
            self.pieces |= linear(f"{ours}.attention_norm", f"{theirs}.ln_1")
            self.pieces |= linear(f"{ours}.feed_forward_norm", f"{theirs}.ln_2")
            self.pieces |= self.product(f"{ours}.attention.qkv", f"{theirs}.attn.c_attn", 3)
            self.pieces |= self.product(f"{ours}.attention.output", f"{theirs}.attn.c_proj")
            self.pieces |= self.product(f"{ours}.feed_forward.up", f"{theirs}.mlp.c_fc")
            self.pieces |= self.product(f"{ours}.feed_forward.down", f"{theirs}.mlp.c_proj")
        if not tied:
            self.pieces |= linear("output", "lm_head", bias=False)

    def product(self, ours: str, theirs: str, parts: int = 1) -> dict[str, list[Piece]]:
        """Returns the pieces of a layer: GPT-2's layers are convolutions of width 1 with weights {inputs, outputs}."""

        def part(index: int):
            return lambda rows: rows.chunk(parts)[index]

        def part_of_weight(index: int):
            return lambda weight: weight.t().chunk(parts)[index]

        return {
            f"{ours}.weight": [Piece(f"{theirs}.weight", part_of_weight(i), part(i)) for i in range(parts)],
            f"{ours}.bias": [Piece(f"{theirs}.bias", part(i)) for i in range(parts)],
        }


class GptBigCode(Gpt2):
    """All heads share one key and one value."""

    family = "gpt_bigcode"
    activation = "gelu_tanh"
    classes = GPTBigCodeConfig, GPTBigCodeForCausalLM

    def __init__(self, **sizes):
        super().__init__(**sizes)
        self.model["key_value_heads"] = 1

    def product(self, ours: str, theirs: str, parts: int = 1) -> dict[str, list[Piece]]:
        return linear(ours, theirs)
