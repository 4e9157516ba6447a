# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares samples/s of a trial of two processes over gloo with those of a plain training script under torchrun:

    PYTHONPATH=tests python -m bench.ranks [--rounds N] [--ways ddp fsdp2]

Both stay loaded and run in turn. The medians of the rounds should differ by less than 10 %."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from pathlib import Path

from python.talk import Talk

PROCESSES, SIZE, LENGTH, STEPS = 2, 4, 64, 8
MODEL = {
    "family": "gpt2",
    "vocabulary_size": 2048,
    "hidden_size": 256,
    "layers": 4,
    "heads": 4,
    "feed_forward_size": 1024,
    "max_positions": LENGTH,
    "activation": "gelu_tanh",
}
CONFIG = {
    "vocab_size": 2048,
    "n_embd": 256,
    "n_layer": 4,
    "n_head": 4,
    "n_inner": 1024,
    "n_positions": LENGTH,
    "use_cache": False,
    **dict.fromkeys(("resid_pdrop", "embd_pdrop", "attn_pdrop"), 0.0),
}
WAYS = {"ddp": {}, "fsdp2": {"sharding": "parameters", "shards": PROCESSES}}
TORCHRUN = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(PROCESSES))
LARGEST_DIFFERENCE = 0.10


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.ranks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    options = parser.parse_args()
    # One for each process of this computer with two cores.
    environment = {"OMP_NUM_THREADS": "1"}
    ours = Talk(*TORCHRUN, "-m", "batchpeak_trial.transformers", "--device", "cpu", environment=environment)
    ours.ask("hello", protocol=3)
    print("%-8s%16s%16s%12s" % ("", "script /s", "trial /s", "difference"))
    worst = 0.0
    for way in options.ways:
        script = str(Path(__file__).with_name("rival.py"))
        rival = Talk(*TORCHRUN, script, way, json.dumps(CONFIG), str(SIZE), str(LENGTH), environment=environment)
        try:
            worst = max(worst, compared(way, WAYS[way], ours, rival, options.rounds))
        finally:
            rival.end()
    ours.end()
    return 0 if worst <= LARGEST_DIFFERENCE else 1


def compared(way: str, fields: dict, ours: Talk, rival: Talk, rounds: int) -> float:
    """Prints the medians of the samples per second of all processes; returns their relative difference."""
    ours.ask("load", model=MODEL, sequence_length=LENGTH, optimizer="adamw", precision="fp32", seed=1, **fields)
    rival_rates, our_rates = [], []
    for number in range(rounds + 1):
        pair = rate(rival_seconds(rival)), rate(our_seconds(ours, number))
        if number > 0:  # the first warms up
            rival_rates.append(pair[0])
            our_rates.append(pair[1])
    medians = statistics.median(rival_rates), statistics.median(our_rates)
    difference = medians[1] / medians[0] - 1
    print("%-8s%16.2f%16.2f%11.1f%%" % (way, *medians, 100 * difference), flush=True)
    return abs(difference)


def rate(seconds: float) -> float:
    return PROCESSES * SIZE / seconds


def rival_seconds(rival: Talk) -> float:
    rival.say("steps", steps=STEPS)
    return rival.hear("result", 300.0)["seconds"]


def our_seconds(ours: Talk, number: int) -> float:
    steps = {"min_steps": STEPS, "max_steps": STEPS, "min_seconds": 0.0, "time_limit": 300.0}
    result = ours.ask("trial", 300.0, id=number, micro_batch_size=SIZE, abandon_above=0.0, **steps)
    if result["outcome"] != "ok":
        raise SystemExit("The trial ended with %s: %s" % (result["outcome"], result.get("text")))
    return result["seconds_per_step"] + result["optimizer_seconds"]


if __name__ == "__main__":
    sys.exit(main())
