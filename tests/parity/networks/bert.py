# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from transformers import BertConfig, BertForMaskedLM, BertForPreTraining, BertForSequenceClassification

from .masked import at_places, predicted_tokens, random_places
from .network import Batch, Network, Piece, linear, random_tokens


class Bert(Network):
    """Predicts masked tokens, and in pre-training also whether one sentence follows the other.

    In pre-training, ours runs the head only on masked tokens.
    """

    kind = BertForMaskedLM
    # Classes of a text, in a network that predicts nothing else.
    classes = 2

    def __init__(
        self,
        layers: int,
        width: int,
        heads: int,
        feed_forward: int,
        vocabulary: int,
        length: int,
        pretraining: bool = False,
    ):
        config = BertConfig(
            vocab_size=vocabulary,
            hidden_size=width,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            intermediate_size=feed_forward,
            max_position_embeddings=length,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
            # The embedding of a padding token would get no gradient; nothing is padded here.
            pad_token_id=None,
        )
        config.num_labels = self.classes
        kind = BertForPreTraining if pretraining else self.kind
        self.module = kind._from_config(config, attn_implementation="sdpa")
        self.vocabulary = vocabulary
        self.token_types = config.type_vocab_size
        self.sequence_length = length
        self.pretraining = pretraining
        self.model = {
            "family": "bert",
            "vocabulary_size": vocabulary,
            "hidden_size": width,
            "layers": layers,
            "heads": heads,
            "feed_forward_size": feed_forward,
            "max_positions": length,
            "token_types": config.type_vocab_size,
            "activation": "gelu",
            "normalization_epsilon": config.layer_norm_eps,
            "pooler": pretraining,
            "next_sentence_head": pretraining,
            "predicted_tokens": predicted_tokens(length) if pretraining else 0,
        }
        self._add_heads()
        embeddings = "bert.embeddings"
        self.pieces |= {
            **linear("embed_tokens", f"{embeddings}.word_embeddings", bias=False),
            **linear("embed_positions", f"{embeddings}.position_embeddings", bias=False),
            **linear("embed_types", f"{embeddings}.token_type_embeddings", bias=False),
            **linear("embed_norm", f"{embeddings}.LayerNorm"),
        }
        for layer in range(layers):
            self._add_layer(f"layers.{layer}", f"bert.encoder.layer.{layer}")

    def _add_heads(self) -> None:
        head = "cls.predictions"
        self.pieces = {
            **linear("head.transform", f"{head}.transform.dense"),
            **linear("head.norm", f"{head}.transform.LayerNorm"),
            "output.bias": [Piece(f"{head}.bias")],
        }
        if self.pretraining:
            self.pieces |= linear("pooler", "bert.pooler.dense")
            self.pieces |= linear("next_sentence", "cls.seq_relationship")

    def _add_layer(self, ours: str, theirs: str) -> None:
        attention = f"{theirs}.attention"
        parts = (f"{attention}.self.{part}" for part in ("query", "key", "value"))
        self.pieces |= linear(f"{ours}.attention.qkv", *parts)
        self.pieces |= linear(f"{ours}.attention.output", f"{attention}.output.dense")
        self.pieces |= linear(f"{ours}.attention_norm", f"{attention}.output.LayerNorm")
        self.pieces |= linear(f"{ours}.feed_forward.up", f"{theirs}.intermediate.dense")
        self.pieces |= linear(f"{ours}.feed_forward.down", f"{theirs}.output.dense")
        self.pieces |= linear(f"{ours}.feed_forward_norm", f"{theirs}.output.LayerNorm")

    def batch(self, samples: int) -> Batch:
        tokens, originals = (
            random_tokens(samples, self.sequence_length, self.vocabulary) for _ in range(2)
        )
        types = random_tokens(samples, self.sequence_length, self.token_types)
        places = random_places(samples, self.sequence_length)
        labels = at_places(originals, places)
        arguments = {"input_ids": tokens, "token_type_ids": types, "labels": labels}
        if not self.pretraining:
            return Batch(arguments, [tokens, types], labels)
        follows = torch.randint(2, (samples,))
        arguments["next_sentence_label"] = follows
        return Batch(arguments, [tokens, types, places, follows], originals.gather(1, places))


class BertClassifier(Bert):
    """Classifies texts."""

    kind = BertForSequenceClassification
    classes = 3

    def __init__(self, **sizes):
        super().__init__(**sizes)
        self.model |= {
            "pooler": True,
            "next_sentence_head": True,
            "sentence_classes": self.classes,
            "masked_language_head": False,
        }

    def _add_heads(self) -> None:
        self.pieces = {**linear("pooler", "bert.pooler.dense"), **linear("next_sentence", "classifier")}

    def batch(self, samples: int) -> Batch:
        # Our network weights samples by the number of tokens that it would predict.
        batch = super().batch(samples)
        classes = torch.randint(self.classes, (samples,))
        return Batch(batch.arguments | {"labels": classes}, [*batch.inputs, classes], batch.targets)
