# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A training script as a user writes it, without Batchpeak:

    torchrun --nproc-per-node 2 rival.py ddp|fsdp2 CONFIG SIZE LENGTH

CONFIG is a JSON object of GPT2Config. For each number of steps on standard input, rank 0 writes the median seconds of
a step."""

from __future__ import annotations

import json
import statistics
import sys
import time

import torch
import transformers
from torch import distributed
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel

UNTIMED = 3


def main() -> None:
    way, config, size, length = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    distributed.init_process_group("gloo")
    torch.manual_seed(1)
    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(**config))
    if way == "ddp":
        model = DistributedDataParallel(model)
    else:
        for block in model.transformer.h:
            fully_shard(block)
        fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    torch.manual_seed(1 + distributed.get_rank())
    tokens = torch.randint(config["vocab_size"], (size, length))

    def step() -> float:
        begin = time.perf_counter()
        model(input_ids=tokens, labels=tokens).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return time.perf_counter() - begin

    while count := asked():
        # As in a trial, the first steps after a pause are not timed.
        seconds = [step() for _ in range(count + UNTIMED)][UNTIMED:]
        if distributed.get_rank() == 0:
            print(json.dumps({"type": "result", "seconds": statistics.median(seconds)}), flush=True)
    distributed.destroy_process_group()


def asked() -> int:
    """Returns on all ranks the number of steps that rank 0 reads; 0 at the end."""
    line = sys.stdin.readline() if distributed.get_rank() == 0 else ""
    count = torch.tensor(json.loads(line)["steps"] if line else 0)
    distributed.broadcast(count, 0)
    return int(count)


if __name__ == "__main__":
    main()
