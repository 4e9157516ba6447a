# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Talks to Batchpeak, which requests trials of a script's own steps.

    batchpeak explore config.yaml --worker "python3 train.py"

An example with torch:

    import torch
    from batchpeak_trial import serve

    model = torch.nn.Linear(1024, 1024, device="cuda")
    optimizer = torch.optim.AdamW(model.parameters())

    def step(micro_batch_size):
        x = torch.randn(micro_batch_size, 1024, device="cuda")
        loss = model(x).square().mean()
        yield
        loss.backward()
        yield
        optimizer.step()
        optimizer.zero_grad()

    serve(step, parameters=sum(p.numel() for p in model.parameters()))

If a step yields after forward and after backward, its three phases are timed separately. If forward and backward
are one call, yield "backward" after it. With gradient accumulation, the optimizer step runs once after several
micro-batches. A plain function runs forward, backward and optimizer together. If the device is not one of torch's,
a step must wait for it before it yields or returns.
Standard output is reserved for the protocol: what the script prints goes to standard error."""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from dataclasses import asdict, dataclass
from typing import Callable

from . import link
from .channel import Channel, Inbox, silence
from .comparisons import RunningComparison
from .devices import device_of, framework
from .failures import Failure, FailureElsewhere, classify, text_of
from .ranks import Alone, Leader, Ranks, follow, ranks_of_script
from .requests import NOTHING_FITS, Bench, StickyFailure
from .training import NO_CHECKPOINTS, RunningBatch, is_count, readiness
from .trials import RunningTrial

PROTOCOL = 3
STICKY_DEVICE_ERROR = 42
MEMORY_LOST = 43


class Refusal(Exception):
    """Refusal of a load. Its text is a sentence for the user."""

    # Whether no other load could succeed either.
    fatal = False


class _Hooks:
    """Functions of the script that replace those of its device."""

    def __init__(self, recover, peak_bytes, reset_peaks, prepare):
        self._recover, self._peak_bytes, self._reset_peaks = recover, peak_bytes, reset_peaks
        self.prepare = prepare

    def recover(self, device) -> None:
        if self._recover:
            self._recover()
        device.empty_cache()

    def peaks(self, device) -> tuple[int, int]:
        if self._peak_bytes:
            return (int(self._peak_bytes()),) * 2
        return device.peaks()

    def reset_peaks(self, device) -> None:
        if self._reset_peaks:
            self._reset_peaks()
        device.reset_peaks()


def serve(
    step_fn,
    load=None,
    recover=None,
    peak_bytes=None,
    reset_peaks=None,
    prepare=None,
    parameters=0,
    program=None,
    device=None,
    framework=None,
    ranks=None,
    channel=None,
):
    """Speaks the trial protocol on standard input and output until the parent says goodbye or ends.

    step_fn(micro_batch_size)   runs one whole step, or yields after forward and after backward, or yields
                                "backward" after both; raises if the size does not fit. A second argument is the
                                number of micro-batches in an optimizer step. It returns False if the optimizer
                                skipped its step
    load(request)               called once with the load message, a dict; may build the network, and may return
                                fields of the answer, such as {"parameters": 124439808, "approximations": []}.
                                "attention" is the kernel that results name; "tokens_per_sample" is the number of
                                tokens in a sample. If baseline_bytes is above limit_bytes, not even the network
                                fits. "synchronize" is a function that is called before each micro-batch with
                                whether processes reduce gradients in it, as without no_sync() of
                                DistributedDataParallel; the time of a reduction is then reported
    recover()                   called after a failed step, when its exception has been freed; should drop
                                gradients
    peak_bytes()                highest memory use [bytes] since reset_peaks(), for a device that torch does not
                                know; by default that of torch.cuda, or else of the process
    reset_peaks()               called after warm-up, and before the first steps of a size in a comparison
    prepare(micro_batch_size)   called before steps of that size, and not timed; may make their samples
    parameters                  number of parameters of the network, which the window shows
    device                      "cpu" if torch has a GPU that steps do not use
    framework                   name and version of the framework, which the window shows
    ranks                       the Ranks of processes that take steps together, if torch.distributed does not
                                know them
    channel                     the Channel, if it has been made before this call

    If several processes take each step together, all of them call serve(). Rank 0 talks to Batchpeak and makes the
    others take the same steps. Each process takes the micro-batch size; the slowest process determines the time, and
    the one with the highest peak the memory. If a step fails in one process, all end, since the others might wait
    forever; Batchpeak starts them again.

    In a process that imports the script again, such as a data loader's that multiprocessing starts by "spawn" or
    "forkserver", serve() returns immediately: Batchpeak talks only to the script itself.
    """
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        return 0
    script = _Script(step_fn, load, _Hooks(recover, peak_bytes, reset_peaks, prepare), device)
    ranks = ranks or ranks_of_script()
    if ranks and ranks.rank > 0:
        return _Follower(script).run(ranks)
    return _Session(script, parameters, program, framework, channel or Channel()).run(ranks)


@dataclass(frozen=True)
class _Script:
    """The functions that were passed to serve()."""

    step_fn: Callable
    load_fn: Callable | None
    hooks: _Hooks
    device_kind: str | None

    def load(self, request: dict, *conversation) -> tuple[Bench, dict]:
        """Returns a bench, and fields of the answer."""
        told = self.load_fn(request) if self.load_fn else None
        told = dict(told) if isinstance(told, dict) else {}
        device = device_of(self.device_kind)
        bench = Bench(self.step_fn, device, self.hooks, *conversation)
        bench.attention = told.pop("attention", "")
        bench.tokens_per_sample = told.pop("tokens_per_sample", 0)
        bench.steps.synchronize = told.pop("synchronize", None)
        bench.steps.trains = request.get("phase", "train") == "train"
        limit = request.get("memory_limit_bytes")
        limit = device.limit(limit if isinstance(limit, int) else 0)
        return bench, {"baseline_bytes": bench.held, "limit_bytes": limit, **told}


class _Follower:
    """A process other than rank 0."""

    def __init__(self, script: _Script):
        self._script = script
        self._bench: Bench | None = None

    def run(self, ranks: Ranks) -> int:
        silence()
        return follow(ranks, self._do, self._explain)

    def _do(self, order: dict):
        if order["do"] == "load":
            self._bench = None
            self._bench, fields = self._script.load(order["request"], None, None)
            return fields
        if order["do"] == "run":
            with self._bench.device.limited():
                return asdict(self._bench.run(order["sizes"], reduces=order["reduces"]))
        if order["do"] == "measure_link":
            return link.measured()
        return getattr(self._bench, order["do"])()

    def _explain(self, error: Exception) -> tuple[Failure, tuple[int, int]]:
        if not self._bench:
            return classify(error, has_gpu=False), (0, 0)
        return classify(error, self._bench.device.kind != "cpu"), self._bench.peaks()


class _Session:
    """Answers one message after another; run() returns the exit code."""

    def __init__(
        self,
        script: _Script,
        parameters: int,
        program: str | None,
        framework_name: str | None,
        channel: Channel,
    ):
        self._script, self._parameters = script, parameters
        self._program, self._framework = program, framework_name
        self._channel, self._inbox = channel, Inbox()
        self._team = Alone()
        self._protocol = 0
        self._hello = 0.0
        # Bench of the trials, and that of a training, which replaces the trials.
        self._bench = self._trained = None
        self._answers = {
            "problem": self._complain_of_line,
            "hello": self._greet,
            "load": self._load,
            "trial": self._try,
            "compare": self._compare,
            "training": self._begin_training,
            "batch": self._train,
            "save": self._refuse_to_save,
            "bye": self._end,
        }

    def run(self, ranks: Ranks | None) -> int:
        if ranks and ranks.count > 1:
            self._team = Leader(ranks)
        code = self._talk()
        if self._team.is_broken:
            # A normal exit could wait forever: frameworks wait for the other processes at exit.
            sys.stdout.flush()
            os._exit(code)
        self._team.end()
        return code

    def _talk(self) -> int:
        while True:
            message = self._inbox.next()
            kind = message.get("type")
            answer = self._answers.get(kind) if isinstance(kind, str) else None
            code = answer(message) if answer else self._channel.complain(_unknown(kind))
            if code is not None:
                return code

    def _complain_of_line(self, message: dict) -> None:
        self._channel.complain(message.get("text", ""))

    def _end(self, _message: dict) -> int:
        return 0

    def _greet(self, message: dict) -> int | None:
        offered = message.get("protocol")
        if not isinstance(offered, int) or offered < 1:
            text = "A hello must say which version of the trial protocol it offers, 1 or above."
            self._channel.complain(text, fatal=True)
            return 1
        self._protocol = min(offered, PROTOCOL)
        self._hello = time.perf_counter()
        pause = message.get("heartbeat_seconds")
        if self._protocol >= 3 and isinstance(pause, (int, float)) and pause > 0:
            self._inbox.expect_heartbeats(min(pause, 3600))
            self._channel.start_heartbeats(min(pause, 3600))
        self._channel.send(
            {
                "type": "hello",
                "protocol": self._protocol,
                "program": self._program or os.path.basename(sys.argv[0] or "python"),
                "framework": (self._framework or framework()) + self._team.suffix,
                "device": device_of(self._script.device_kind).describe(),
                **self._team.fields,
            }
        )
        return None

    def _load(self, message: dict) -> int | None:
        if not self._protocol:
            return self._channel.complain("A load must come after hello.")
        self._bench = self._trained = None
        self._team.on_stuck = lambda error: os._exit(self._give_up(error))
        try:
            own, *others = self._team.together(
                {"do": "load", "request": message},
                lambda: self._script.load(message, self._channel, self._inbox, self._team),
            )
        except Refusal as refusal:
            is_fatal = refusal.fatal or self._team.is_broken
            self._channel.complain(str(refusal), is_fatal)
            return 1 if is_fatal else None
        except (Exception, SystemExit) as error:  # the parent shows errors of the script
            return self._give_up(error)
        self._bench, fields = own
        self._bench.hello = self._hello
        # json cannot write NumPy's integers, such as a product of shapes.
        loaded = {"type": "loaded", "parameters": int(self._parameters), **fields}
        for other in others:
            loaded["baseline_bytes"] = max(loaded["baseline_bytes"], other["baseline_bytes"])
            loaded["limit_bytes"] = min(loaded["limit_bytes"], other["limit_bytes"])
        if 0 < loaded["limit_bytes"] < loaded["baseline_bytes"]:
            self._bench.not_even_loaded = loaded["baseline_bytes"]
        asks_for_link = message.get("measure_link") and not self._team.is_alone and link.can_be_measured()
        if asks_for_link and not self._bench.not_even_loaded:
            try:
                times, *_ = self._team.together({"do": "measure_link"}, link.measured)
            except Exception as error:  # the processes no longer reach each other
                return self._give_up(error)
            loaded["link"] = link.fitted(times)
        self._channel.send(loaded)
        return None

    def _give_up(self, error: BaseException) -> int:
        self._channel.complain(text_of(error), fatal=True)
        return 1

    def _try(self, message: dict) -> int | None:
        if not self._bench:
            return self._channel.complain("A trial must come after a load that succeeded.")
        if not is_count(message.get("micro_batch_size")):
            return self._channel.complain("A trial must say its micro_batch_size, a whole number above 0.")
        return self._answer(RunningTrial(message, self._bench))

    def _compare(self, message: dict) -> int | None:
        if self._protocol < 2:
            text = "A comparison needs version 2 of the trial protocol; say so in the hello."
            return self._channel.complain(text)
        if not self._bench:
            return self._channel.complain("A comparison must come after a load that succeeded.")
        sizes = message.get("micro_batch_sizes")
        if not isinstance(sizes, list) or not sizes or not all(map(is_count, sizes)):
            text = "A comparison must say its micro_batch_sizes, whole numbers above 0."
            return self._channel.complain(text)
        return self._answer(RunningComparison(message, self._bench))

    def _begin_training(self, message: dict) -> None:
        bench, self._bench, self._trained = self._bench, None, None
        if not bench:
            return self._channel.complain("A training must come after a load that succeeded.")
        ready, problem = readiness(message, bench)
        if problem:
            return self._channel.complain(problem)
        self._trained = bench
        if bench.not_even_loaded:
            return self._channel.complain(NOTHING_FITS)
        self._channel.send(ready)
        return None

    def _train(self, message: dict) -> int | None:
        if not self._trained:
            return self._channel.complain("A batch must come after a training that is ready.")
        if not all(is_count(message.get(field)) for field in ("samples", "micro_batch_size")):
            text = "A batch must say its samples and its micro_batch_size, whole numbers above 0."
            return self._channel.complain(text)
        return self._answer(RunningBatch(message, self._trained))

    def _refuse_to_save(self, message: dict) -> None:
        if not self._trained:
            return self._channel.complain("A save must come after a training that is ready.")
        saved = {"type": "saved", "id": message.get("id"), "bytes": 0, "problem": NO_CHECKPOINTS}
        return self._channel.send(saved)

    def _answer(self, running) -> int | None:
        self._team.on_stuck = lambda error: os._exit(self._send(lambda: running.answer_to(error)) or 0)
        return self._send(running.answer)

    def _send(self, answer: Callable[[], dict]) -> int | None:
        try:
            result = answer()
        except (StickyFailure, FailureElsewhere) as failure:
            # There is no result: the parent repeats the request in a fresh process.
            self._channel.complain(str(failure), fatal=True)
            return STICKY_DEVICE_ERROR
        if self._protocol == 1:
            result.pop("clock", None)
        if self._team.is_broken:
            self._channel.send(result)
            # Launchers of several processes report any other code as a crash.
            return 0
        if result.get("last"):
            text = "This process cannot continue after the failure; a fresh one will."
            self._channel.log(text)
        self._channel.send(result)
        return MEMORY_LOST if result.get("last") else None


def _unknown(kind) -> str:
    known = "hello, load, trial, compare, training, batch, save, heartbeat, cancel and bye are known."
    return "The message type %.80r is unknown; %s" % (kind, known)
