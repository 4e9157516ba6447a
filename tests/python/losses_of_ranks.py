# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes optimizer steps on the same samples with any number of processes, for test_sharing.py:

    torchrun ... losses_of_ranks.py REQUESTS

REQUESTS is a JSON object of load messages by name. Rank 0 writes a JSON object: for each name, the loss of each
optimizer step over the samples of all processes, whether parameters began equal, and how often gradients were
reduced."""

from __future__ import annotations

import json
import sys

import torch
from batchpeak_trial import optimizers, processes
from batchpeak_trial.devices import device_of
from batchpeak_trial.steps import Steps
from batchpeak_trial.workload import Workload
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook

SAMPLES, LENGTH, STEPS, MICRO_BATCHES = 8, 32, 4, 2
CPU = torch.device("cpu")


def main() -> None:
    told = processes.launched()
    if told.count > 1:
        processes.join(torch, CPU)
    found = {name: losses_of(request, told) for name, request in json.loads(sys.argv[1]).items()}
    if told.rank == 0:
        print(json.dumps(found), flush=True)
    if told.count > 1:
        torch.distributed.destroy_process_group()


def losses_of(request: dict, told: processes.Processes) -> dict:
    # DeepSpeed makes the optimizer's state without a step of zero gradients.
    takes_first = optimizers._take_first_step
    if request.pop("begins_at_zero", False):
        optimizers._take_first_step = lambda *_: None
    workload = Workload(request, CPU, told)
    optimizers._take_first_step = takes_first
    reductions = count_reductions(workload._called)
    watched = workload._loss
    losses: list = []

    def watch(batch):
        losses.append(watched(batch))
        return losses[-1]

    workload._loss = watch
    workload._batches._maker = own_samples(workload, told)
    begin = next(iter(workload._module.parameters())).detach().sum()
    if hasattr(begin, "full_tensor"):
        begin = begin.full_tensor()
    # Updates within backward make a batch of each micro-batch.
    count = 1 if told.count == 1 or request.get("updates_in_backward") else MICRO_BATCHES
    size = SAMPLES // told.count // count
    steps = Steps(workload.step, device_of("cpu"))
    steps.synchronize = workload.synchronize
    steps.trains = request["phase"] == "train"
    each = []
    for _ in range(STEPS):
        losses.clear()
        steps.run([size] * count, lambda _: workload._batches.drop())
        workload._batches.drop()
        each.append(mean_of([loss.item() for loss in losses], told))
    return {"losses": each, "begin": begin.item(), "reductions": reductions}


def own_samples(workload: Workload, told: processes.Processes):
    """Returns a function that makes the samples of this process, one micro-batch after another."""
    generator = torch.Generator().manual_seed(7)
    whole = torch.randint(workload.model["vocabulary_size"], (SAMPLES, LENGTH), generator=generator)
    left: list = []

    def make(size: int) -> dict:
        if not left:
            left.extend(whole[told.rank :: told.count].split(size))
        tokens = left.pop(0)
        return {"input_ids": tokens, "labels": tokens}

    return make


def mean_of(losses: list, told: processes.Processes) -> float:
    mean = torch.tensor(sum(losses) / len(losses), dtype=torch.float64)
    if told.count > 1:
        torch.distributed.all_reduce(mean)
    return mean.item() / told.count


def count_reductions(module) -> list:
    """Counts the buckets that DistributedDataParallel reduces in each step that reduces."""
    reductions: list = []
    if isinstance(module, torch.nn.parallel.DistributedDataParallel):

        def hook(_state, bucket):
            reductions.append(bucket.index())
            return allreduce_hook(None, bucket)

        module.register_comm_hook(None, hook)
    return reductions


if __name__ == "__main__":
    main()
