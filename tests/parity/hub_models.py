# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the parameters of every well-known network of the hub with transformers.

Both sides use the same few keys of a config.json; transformers' networks are made without allocating parameters. The
program exits with 1 if a count differs.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import torch
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForImageClassification,
    AutoModelForMaskedLM,
    AutoModelForSeq2SeqLM,
)

CLASSES = {
    "bert": AutoModelForMaskedLM,
    "t5": AutoModelForSeq2SeqLM,
    "vit": AutoModelForImageClassification,
}


def parameters_of(keys: dict[str, object]) -> int:
    """Returns the number of parameters; shared weights count once."""
    keys = dict(keys)
    model_type = str(keys.pop("model_type"))
    # The first Qwen has its own code on the hub: it is Qwen2 with a feed-forward layer of half the size.
    if model_type == "qwen":
        model_type = "qwen2"
        keys["intermediate_size"] = int(str(keys["intermediate_size"])) // 2
        keys["num_key_value_heads"] = keys["num_attention_heads"]
    tied = keys.get("tie_word_embeddings", True)
    config = AutoConfig.for_model(model_type, **keys)
    with torch.device("meta"):
        network = CLASSES.get(model_type, AutoModelForCausalLM).from_config(config)
    network.tie_weights()
    count = sum(parameter.numel() for parameter in network.parameters())
    # transformers 5 always shares these; the published T5 1.1 does not.
    if model_type == "t5" and not tied:
        count += config.vocab_size * config.d_model
    return count


def main() -> int:
    parser = argparse.ArgumentParser(prog="make test-hub-models", description=__doc__)
    parser.add_argument("--program", type=Path, required=True, help="batchpeak-list-hub-models")
    options = parser.parse_args()

    lines = subprocess.run([options.program], check=True, capture_output=True, text=True).stdout.splitlines()
    off = 0
    for line in lines:
        model = json.loads(line)
        theirs = parameters_of(model["config"])
        off += theirs != model["parameters"]
        verdict = "ok " if theirs == model["parameters"] else f"OFF by {model['parameters'] - theirs}"
        print(f"{model['id']:52}  {model['parameters']:15,}  {verdict}", flush=True)
    print(f"{len(lines) - off} of {len(lines)} have the same number of parameters as in transformers.")
    return 1 if off or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
