# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decoders whose attention and feed-forward layer both take the layer's input."""

from transformers import (
    Cohere2Config,
    Cohere2ForCausalLM,
    CohereConfig,
    CohereForCausalLM,
    FalconConfig,
    FalconForCausalLM,
    GPTJConfig,
    GPTJForCausalLM,
    GPTNeoXConfig,
    GPTNeoXForCausalLM,
    PhiConfig,
    PhiForCausalLM,
)

from .causal import CausalNetwork
from .llama import Llama
from .network import Piece, halves_of_pairs, linear, of_every_head


class Phi(Llama):
    family = "phi"
    classes = PhiConfig, PhiForCausalLM
    attention_bias = True
    normalization = "layernorm"
    normalization_bias = True
    epsilon_key = "layer_norm_eps"
    final_norm = "model.final_layernorm"

    def __init__(self, **sizes):
        super().__init__(**sizes)
        self.model |= {
            "branches": "parallel",
            "activation": "gelu_new",
            "attention_output_bias": True,
            "feed_forward_bias": True,
            "output_bias": True,
            "rotary_dimensions": int(sizes["width"] // sizes["heads"] * 0.5),
        }
        self.pieces |= linear("output", "lm_head")

    def _add_attention(self, ours: str, theirs: str) -> None:
        super()._add_attention(ours, theirs)
        self.pieces |= linear(f"{ours}.attention.output", f"{theirs}.self_attn.dense")

    def _add_norms_of_feed_forward(self, ours: str, theirs: str) -> None:
        pass

    def _add_feed_forward(self, ours: str, theirs: str) -> None:
        self.pieces |= linear(f"{ours}.feed_forward.up", f"{theirs}.fc1")
        self.pieces |= linear(f"{ours}.feed_forward.down", f"{theirs}.fc2")


class Cohere(Llama):
    family = "cohere"
    classes = CohereConfig, CohereForCausalLM
    normalization = "layernorm"
    epsilon_key = "layer_norm_eps"

    def __init__(self, heads: int, key_value_heads: int, **sizes):
        self._turns = {
            "q": halves_of_pairs(heads),
            "k": halves_of_pairs(key_value_heads),
            "v": lambda theirs: theirs,
        }
        # Our network has no scale of logits, since it does not change the speed.
        super().__init__(
            heads=heads, key_value_heads=key_value_heads, logit_scale=1.0, pad_token_id=None, **sizes
        )
        self.model |= {"branches": "parallel", "normalization_bias": False}

    def _add_attention(self, ours: str, theirs: str) -> None:
        super()._add_attention(ours, theirs)
        self.pieces[f"{ours}.attention.qkv.weight"] = [
            Piece(f"{theirs}.self_attn.{part}_proj.weight", turn) for part, turn in self._turns.items()
        ]

    def _add_norms_of_feed_forward(self, ours: str, theirs: str) -> None:
        pass


class Cohere2(Cohere):
    """Layers with a window have rotary embeddings; those without one do not."""

    family = "cohere2"
    classes = Cohere2Config, Cohere2ForCausalLM

    def __init__(self, layers: int, window: int, whole: tuple[int, ...], **sizes):
        kinds = ["full_attention" if layer in whole else "sliding_attention" for layer in range(layers)]
        self._whole = whole
        super().__init__(layers=layers, sliding_window=window, layer_types=kinds, **sizes)
        self.model |= {
            "attention_window": window,
            "windowed_layers": [layer for layer in range(layers) if layer not in whole],
            "unrotated_layers": list(whole),
        }

    def _add_attention(self, ours: str, theirs: str) -> None:
        if int(ours.removeprefix("layers.")) in self._whole:
            Llama._add_attention(self, ours, theirs)
        else:
            super()._add_attention(ours, theirs)


class _Decoder(CausalNetwork):
    """Base of the networks that do not use LLaMA's names."""

    def __init__(self, module, family: str, length: int, **model: object):
        self.module = module
        self.vocabulary = model["vocabulary_size"]
        self.sequence_length = length
        self.model = {
            "family": family,
            "max_positions": length,
            "position_embedding": "rotary",
            "normalization": "layernorm",
            "normalization_epsilon": 1e-5,
            **model,
        }


class GptNeoX(_Decoder):
    def __init__(
        self, layers: int, width: int, heads: int, vocabulary: int, length: int, sequential: bool = False
    ):
        config = GPTNeoXConfig(
            vocab_size=vocabulary,
            hidden_size=width,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            intermediate_size=4 * width,
            max_position_embeddings=length,
            rope_parameters={
                "rope_type": "default",
                "rope_theta": 10000.0,
                "partial_rotary_factor": 0.5,
            },
            use_parallel_residual=not sequential,
            bos_token_id=None,
            eos_token_id=None,
        )
        super().__init__(
            GPTNeoXForCausalLM._from_config(config, attn_implementation="sdpa"),
            "gpt_neox",
            length,
            vocabulary_size=vocabulary,
            hidden_size=width,
            layers=layers,
            heads=heads,
            key_value_heads=heads,
            feed_forward_size=4 * width,
            rotary_dimensions=width // heads // 2,
            branches="sequential" if sequential else "parallel_norms",
            activation="gelu",
            tied_embeddings=False,
        )
        self.pieces = {
            **linear("embed_tokens", "gpt_neox.embed_in", bias=False),
            **linear("final_norm", "gpt_neox.final_layer_norm"),
            **linear("output", "lm_head", bias=False),
        }
        for layer in range(layers):
            ours, theirs = f"layers.{layer}", f"gpt_neox.layers.{layer}"
            self.pieces |= linear(f"{ours}.attention_norm", f"{theirs}.input_layernorm")
            for kind in ("weight", "bias"):
                self.pieces[f"{ours}.attention.qkv.{kind}"] = [
                    Piece(f"{theirs}.attention.query_key_value.{kind}", of_every_head(heads, part))
                    for part in range(3)
                ]
            self.pieces |= linear(f"{ours}.attention.output", f"{theirs}.attention.dense")
            self.pieces |= linear(f"{ours}.feed_forward_norm", f"{theirs}.post_attention_layernorm")
            self.pieces |= linear(f"{ours}.feed_forward.up", f"{theirs}.mlp.dense_h_to_4h")
            self.pieces |= linear(f"{ours}.feed_forward.down", f"{theirs}.mlp.dense_4h_to_h")


class GptJ(_Decoder):
    def __init__(self, layers: int, width: int, heads: int, vocabulary: int, length: int):
        rotated = width // heads // 2 // 2 * 2
        config = GPTJConfig(
            vocab_size=vocabulary,
            n_positions=length,
            n_embd=width,
            n_layer=layers,
            n_head=heads,
            rotary_dim=rotated,
            bos_token_id=None,
            eos_token_id=None,
        )
        # It has only its own attention and the flash kernel.
        super().__init__(
            GPTJForCausalLM._from_config(config, attn_implementation="eager"),
            "gptj",
            length,
            vocabulary_size=vocabulary,
            hidden_size=width,
            layers=layers,
            heads=heads,
            key_value_heads=heads,
            feed_forward_size=4 * width,
            rotary_dimensions=rotated,
            branches="parallel",
            activation="gelu_new",
            tied_embeddings=False,
            attention_bias=False,
            attention_output_bias=False,
            output_bias=True,
        )
        self.pieces = {
            **linear("embed_tokens", "transformer.wte", bias=False),
            **linear("final_norm", "transformer.ln_f"),
            **linear("output", "lm_head"),
        }
        turn = halves_of_pairs(heads, rotated)
        for layer in range(layers):
            ours, theirs = f"layers.{layer}", f"transformer.h.{layer}"
            self.pieces |= linear(f"{ours}.attention_norm", f"{theirs}.ln_1")
            self.pieces[f"{ours}.attention.qkv.weight"] = [
                Piece(f"{theirs}.attn.q_proj.weight", turn),
                Piece(f"{theirs}.attn.k_proj.weight", turn),
                Piece(f"{theirs}.attn.v_proj.weight"),
            ]
            self.pieces |= linear(f"{ours}.attention.output", f"{theirs}.attn.out_proj", bias=False)
            self.pieces |= linear(f"{ours}.feed_forward.up", f"{theirs}.mlp.fc_in")
            self.pieces |= linear(f"{ours}.feed_forward.down", f"{theirs}.mlp.fc_out")


class Falcon(_Decoder):
    """One key and value for all heads, and one normalization; with key_value_heads, a later Falcon, which has two
    normalizations."""

    def __init__(
        self,
        layers: int,
        width: int,
        heads: int,
        vocabulary: int,
        length: int,
        key_value_heads: int | None = None,
        sequential: bool = False,
    ):
        config = FalconConfig(
            vocab_size=vocabulary,
            hidden_size=width,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            num_kv_heads=key_value_heads,
            new_decoder_architecture=key_value_heads is not None,
            multi_query=not sequential,
            parallel_attn=not sequential,
            bias=sequential,
            max_position_embeddings=length,
            bos_token_id=None,
            eos_token_id=None,
        )
        branches = "parallel_norms" if key_value_heads else "parallel"
        super().__init__(
            FalconForCausalLM._from_config(config, attn_implementation="sdpa"),
            "falcon",
            length,
            vocabulary_size=vocabulary,
            hidden_size=width,
            layers=layers,
            heads=heads,
            key_value_heads=heads if sequential else key_value_heads or 1,
            feed_forward_size=4 * width,
            branches="sequential" if sequential else branches,
            activation="gelu",
            tied_embeddings=True,
            attention_bias=sequential,
            attention_output_bias=sequential,
            feed_forward_bias=sequential,
        )
        self.pieces = {
            **linear("embed_tokens", "transformer.word_embeddings", bias=False),
            **linear("final_norm", "transformer.ln_f"),
        }
        names = ("ln_attn", "ln_mlp") if key_value_heads else ("input_layernorm", "post_attention_layernorm")
        norms = dict(zip(("attention_norm", "feed_forward_norm"), names, strict=True))
        if branches == "parallel" and not sequential:
            del norms["feed_forward_norm"]
        for layer in range(layers):
            ours, theirs = f"layers.{layer}", f"transformer.h.{layer}"
            for own, their in norms.items():
                self.pieces |= linear(f"{ours}.{own}", f"{theirs}.{their}")
            for kind in ("weight", "bias") if sequential else ("weight",):
                self.pieces[f"{ours}.attention.qkv.{kind}"] = [
                    Piece(f"{theirs}.self_attention.query_key_value.{kind}", turn)
                    for turn in self._turns(heads, key_value_heads, sequential)
                ]
            self.pieces |= linear(
                f"{ours}.attention.output", f"{theirs}.self_attention.dense", bias=sequential
            )
            self.pieces |= linear(f"{ours}.feed_forward.up", f"{theirs}.mlp.dense_h_to_4h", bias=sequential)
            self.pieces |= linear(f"{ours}.feed_forward.down", f"{theirs}.mlp.dense_4h_to_h", bias=sequential)

    @staticmethod
    def _turns(heads: int, key_value_heads: int | None, sequential: bool):
        if sequential:
            return [of_every_head(heads, part) for part in range(3)]
        groups = key_value_heads or 1
        parts = (slice(None, -2), slice(-2, -1), slice(-1, None))

        def turn(part: slice):
            return lambda theirs: theirs.unflatten(0, (groups, heads // groups + 2, -1))[:, part].flatten(0, 2)

        return [turn(part) for part in parts]
