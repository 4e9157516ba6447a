# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A worker that runs the network of a config with the transformers, torch and PEFT of this Python:

    batchpeak explore config.yaml --with python
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import re
import sys

from . import __version__, host_memory
from .channel import Channel
from .configured_networks import one_line
from .descriptions import CONFIGURED
from .failures import classify
from .nvml import Nvml
from .processes import Processes, is_so_anywhere, join, launched, share_processors
from .requirements import Missing, builds_for_gpus, problem_of, require, version_of
from .serving import Refusal, serve

_PROGRAM = "batchpeak_trial.transformers " + __version__
_NEEDED = ("torch", "transformers")
# Packages that some runs need in addition.
_OPTIONAL = ("peft", "trl", "bitsandbytes")
_MOST_APPROXIMATIONS = 8


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m batchpeak_trial.transformers", description=__doc__)
    parser.add_argument("--device", default="", help="cpu, cuda or cuda:N; default: a GPU if there is one")
    parser.add_argument("--describe", action="store_true", help="say on one line which libraries there are")
    parser.add_argument("--version", action="version", version=_PROGRAM)
    options = parser.parse_args(arguments)
    if options.describe:
        print(json.dumps(description()))
        return 0
    return _work(options.device)


def description() -> dict:
    """Returns what would run trials. It imports none of the libraries, which would take seconds."""
    gpus = [{"kind": "cuda", "name": name, "uuid": uuid} for name, uuid in Nvml().devices()]
    usable = gpus if builds_for_gpus() else []
    return {
        "python": platform.python_version(),
        "version": __version__,
        **{library: version_of(library) for library in _NEEDED + _OPTIONAL},
        "devices": usable + [{"kind": "cpu", "name": host_memory.processor_name()}],
        # GPUs of this computer that the installed torch was not built for.
        "unused_devices": [] if usable else gpus,
        "problem": problem_of(*_NEEDED),
        "lacks": {library: problem for library in _OPTIONAL if (problem := problem_of(library))},
    }


def _work(device: str) -> int:
    # Nothing is downloaded, even if a class would look something up.
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    # Reserve standard output now, since libraries may print when they are imported.
    channel = Channel()
    processes = launched()
    try:
        worker = _Worker(device, processes)
    except Refusal as problem:
        print("%s: %s" % (_PROGRAM, problem), file=sys.stderr)
        if processes.rank == 0:
            channel.complain(str(problem), fatal=True)
        return 1
    code = serve(
        worker.step,
        load=worker.load,
        recover=worker.recover,
        prepare=worker.prepare,
        program=_PROGRAM,
        framework=worker.framework,
        device=worker.device.type,
        channel=channel,
    )
    worker.leave()
    return code


class _Worker:
    """Holds one network at a time."""

    def __init__(self, device: str, processes: Processes):
        if problem := problem_of(*_NEEDED):
            raise Missing(problem)
        self._processes = processes
        share_processors(processes)
        self._torch = torch = require("torch")
        # The largest imports come before memory is measured.
        require("transformers")
        self.device = _device_of(torch, device, processes)
        if processes.count > 1:
            join(torch, self.device)
            from . import sharing

            sharing.prepare()
        self.framework = "torch %s, transformers %s" % (torch.__version__, version_of("transformers"))
        from . import workload
        from .devices import count_memory_from_here, device_of, share_memory

        self._workload, self._loaded = workload, None
        self._prepared: set = set()
        if self.device.type == "cpu":
            workload.run_small_network(self.device)
            count_memory_from_here()
            share_memory(processes.local_count)
        self._memory = device_of

    def load(self, request: dict) -> dict:
        from .networks import RefusedHere

        model = request.get("model")
        if not isinstance(model, dict) or not isinstance(model.get("family"), str):
            raise Refusal("A load must say its model, with its family.")
        try:
            return self._load(request)
        except RefusedHere as refusal:
            if _is_configured(request) or request.get("preference"):
                # batchpeak-worker cannot run it either, so do not advise to use it.
                raise Refusal(refusal.what) from refusal
            raise

    def _load(self, request: dict) -> dict:
        self._loaded = None
        gc.collect()
        self._prepare(request)
        memory = self._memory(self.device.type)
        memory.empty_cache()
        limit = memory.limit(request.get("memory_limit_bytes") or 0)
        count = self._workload.count_parameters(request)
        needed = self._workload.needed_bytes(request, count, self._processes.count)
        if is_so_anywhere(self._torch, self._processes, needed > limit):
            needed = max(needed, limit + 1)
            return {"parameters": count, "baseline_bytes": needed}
        try:
            with memory.limited():
                self._loaded = self._workload.Workload(request, self.device, self._processes)
        except Refusal:
            raise
        except Exception as error:
            failure = classify(error, memory.kind != "cpu")
            if failure.outcome != "oom" and not failure.sticky and _is_configured(request):
                text = "The network of this config cannot be set up by transformers: %s."
                raise Refusal(text % one_line(error)) from error
            # Others may wait for this process, which the error tells rank 0.
            if failure.outcome != "oom" or failure.is_of_host or self._processes.count > 1:
                raise
        if not self._loaded:
            memory.empty_cache()
            return {"parameters": count, "baseline_bytes": max(needed, limit + 1)}
        memory.synchronize()
        memory.empty_cache()
        fields: dict = {
            "parameters": self._loaded.parameters,
            "attention": self._loaded.attention,
            "tokens_per_sample": self._loaded.tokens_per_sample(),
        }
        if self._loaded.synchronize:
            fields["synchronize"] = self._loaded.synchronize
        if self._loaded.approximations:
            fields["approximations"] = self._loaded.approximations[:_MOST_APPROXIMATIONS]
        return fields

    def _prepare(self, request: dict) -> None:
        """Imports the libraries of a preference and of a sharding, so that their memory does not count as the
        network's."""
        from . import preferences
        from .devices import count_memory_from_here

        preference, library = request.get("preference"), request.get("sharding_library")
        wanted: dict = {}
        if preferences.is_known(preference):
            wanted[preference] = lambda: preferences.prepare(preference)
        if library == "deepspeed" and self._processes.count > 1:
            wanted[library] = lambda: require(library)
        for name in wanted.keys() - self._prepared:
            wanted[name]()
            self._prepared.add(name)
            if self.device.type == "cpu":
                count_memory_from_here()

    def step(self, micro_batch_size: int, count: int):
        return self._loaded.step(micro_batch_size, count)

    def prepare(self, micro_batch_size: int) -> None:
        self._loaded.prepare(micro_batch_size)

    def recover(self) -> None:
        self._loaded.recover()

    def leave(self) -> None:
        """Leaves the other processes, all of which have ended their work."""
        if self._processes.count > 1:
            self._loaded = None
            self._torch.distributed.destroy_process_group()


def _is_configured(request: dict) -> bool:
    return request["model"]["family"] == CONFIGURED


def _device_of(torch, text: str, processes: Processes):
    if text and not re.fullmatch(r"cpu|cuda(:\d+)?", text):
        raise Refusal("The device %s is unknown; use cpu, cuda or cuda:N." % text)
    if text == "cpu" or (not text and not torch.cuda.is_available()):
        return torch.device("cpu")
    _, _, number = text.partition(":")
    if number and processes.local_count > 1:
        raise Refusal("Each of several processes takes a device of its own; use --device cuda.")
    index = int(number or processes.local_rank)
    if processes.local_count > torch.cuda.device_count() > 0:
        text = "%d processes were started here, and torch sees %d NVIDIA GPUs. Start one for each GPU."
        raise Refusal(text % (processes.local_count, torch.cuda.device_count()))
    if index >= torch.cuda.device_count():
        raise Refusal("torch sees no such NVIDIA GPU; use --device cpu, or install torch for CUDA.")
    if index > 0 or processes.count > 1:
        # Initializes CUDA, which takes memory of the device. It happens before hello reports the free memory.
        torch.cuda.set_device(index)
    return torch.device("cuda", index)


if __name__ == "__main__":
    sys.exit(main())
