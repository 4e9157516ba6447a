# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets Batchpeak find the micro-batch size of your own training script.

Copy this file beside the script; it needs nothing but Python 3.9. Give serve() a function that takes
one step, and name the script to Batchpeak:

    batchpeak explore config.yaml --worker "python3 train.py"

An example with torch:

    import torch
    from batchpeak_trial import serve

    model = torch.nn.Linear(1024, 1024, device="cuda")
    optimizer = torch.optim.AdamW(model.parameters())

    def step(micro_batch_size):
        x = torch.randn(micro_batch_size, 1024, device="cuda")
        model(x).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        torch.cuda.synchronize()

    serve(step, parameters=sum(p.numel() for p in model.parameters()))

A step is forward, backward and optimizer together, and must wait for the device before it returns. It
is called with one size again and again in a trial, and with a few in turn where sizes are compared.
Standard output belongs to the protocol: whatever the script prints goes to standard error.
"""

import json
import math
import os
import queue
import signal
import sys
import threading
import time

PROTOCOL = 2
STICKY_DEVICE_ERROR = 42
MAX_LINE_BYTES = 1 << 20

# Warm-up and the middle of the steps, as batchpeak-worker has them.
_FEWEST_WARMUP, _MOST_WARMUP, _STEADY_WITHIN, _WARMUP_SHARE = 2, 5, 0.03, 0.2
_STEPS_BEFORE_ABANDONING = 3
_STEPS_BEFORE_COMPARING = 3
_OUT_OF_MEMORY_TEXTS = (
    "out of memory",
    "cublas_status_alloc_failed",
    "cudnn_status_alloc_failed",
    "can't allocate memory",
    "not enough memory",
)
_STICKY_TEXTS = ("illegal memory access", "device-side assert", "unspecified launch failure")


def serve(step_fn, load=None, recover=None, peak_bytes=None, reset_peaks=None, parameters=0, program=None):
    """Speaks the trial protocol on standard input and output until the parent says goodbye or ends.

    step_fn(micro_batch_size)   takes one whole step; raises when it does not fit
    load(request)               told once of the load message, a dict; may build the network
    recover()                   called after a failed step, when its exception is gone
    peak_bytes()                highest memory use [bytes] since reset_peaks(); without it that of
                                torch.cuda where the script has imported torch, else 0
    reset_peaks()               called after warm-up, and before the first steps of a size in a comparison
    parameters                  how many the network has, for the window to show
    """
    channel = _Channel()
    inbox = _Inbox()
    torch_cuda = _TorchCuda()
    runner = _Runner(
        step_fn,
        recover or torch_cuda.empty_cache,
        peak_bytes or torch_cuda.peak_bytes,
        reset_peaks or torch_cuda.reset_peaks,
        channel,
        inbox,
        torch_cuda,
    )
    protocol, loaded = 0, False
    while True:
        message = inbox.next()
        kind = message.get("type")
        if kind == "problem":
            channel.send({"type": "error", "text": message["text"], "fatal": False})
        elif kind == "hello":
            offered = message.get("protocol")
            if not isinstance(offered, int) or offered < 1:
                text = "A hello must say which version of the trial protocol it offers, 1 or above."
                channel.send({"type": "error", "text": text, "fatal": True})
                return 1
            protocol = min(offered, PROTOCOL)
            runner.greet()
            channel.send(
                {
                    "type": "hello",
                    "protocol": protocol,
                    "program": program or os.path.basename(sys.argv[0] or "python"),
                    "framework": torch_cuda.framework(),
                    "device": torch_cuda.device(),
                }
            )
        elif kind == "load" and protocol:
            if load is not None:
                try:
                    load(message)
                except Exception as error:  # the script's own trouble is the parent's to show
                    channel.send({"type": "error", "text": _text_of(error), "fatal": True})
                    return 1
            loaded = True
            limit = message.get("memory_limit_bytes") or 0
            channel.send(
                {"type": "loaded", "parameters": parameters, "baseline_bytes": 0, "limit_bytes": limit}
            )
        elif (kind == "trial" or (kind == "compare" and protocol > 1)) and loaded:
            result = runner.trial(message) if kind == "trial" else runner.compare(message)
            if result is None:
                return STICKY_DEVICE_ERROR
            if protocol == 1:
                result.pop("clock")
            channel.send(result)
        elif kind == "bye":
            return 0
        else:
            text = "The message type %s is unknown, or comes before hello and load." % json.dumps(kind)
            channel.send({"type": "error", "text": text, "fatal": False})


class _Runner:
    """Runs trials and comparisons of the script's steps."""

    def __init__(self, step_fn, recover, peak_bytes, reset_peaks, channel, inbox, torch_cuda):
        self._step_fn, self._recover = step_fn, recover
        self._peak_bytes, self._reset_peaks = peak_bytes, reset_peaks
        self._channel, self._inbox, self._torch_cuda = channel, inbox, torch_cuda
        self._hello = 0.0

    def greet(self):
        """Clocks of results count from now on."""
        self._hello = time.perf_counter()

    def trial(self, request):
        """The result message of one trial; None when only a fresh process can go on."""
        size = request.get("micro_batch_size")
        fewest, most = request.get("min_steps", 5), request.get("max_steps", 24)
        least_seconds = request.get("min_seconds", 0.4)
        abandon_above = request.get("abandon_above", 0.0)
        warmup, timed, flags, clock = [], [], [], None

        def work():
            nonlocal clock
            while not _is_warm(warmup, self._limit):
                warmup.append(self._step(size, "warmup", len(warmup)))
                self._go_on()
            self._reset_peaks()
            clock = time.perf_counter() - self._hello
            while len(timed) < most and (len(timed) < fewest or sum(timed) < least_seconds):
                timed.append(self._step(size, "timed", len(timed)))
                if len(timed) >= _STEPS_BEFORE_ABANDONING and 0 < abandon_above < min(timed):
                    flags.append("abandoned")
                    break
                if self._time_is_up() and len(timed) >= fewest and not self._is_cancelled():
                    break
                self._go_on()

        result = self._result_of(request, work)
        if result is not None:
            result.update(
                micro_batch_size=size,
                steps=len(timed),
                samples=size * len(timed),
                seconds_per_step=_midmean(timed) if timed else 0.0,
                step_seconds=timed,
                clock=clock,
                flags=flags,
            )
        return result

    def compare(self, request):
        """The result message of one comparison; None when only a fresh process can go on."""
        visits, steps = request.get("visits", 4), request.get("steps", 3)
        untimed_steps = request.get("untimed_steps", 1)
        compared = [
            {"micro_batch_size": size, "peak_reserved_bytes": 0, "alloc_retries": 0, "visits": []}
            for size in request.get("micro_batch_sizes")
        ]
        present, taken = None, 0

        def take(count, phase):
            nonlocal taken
            seconds = []
            for _ in range(count):
                self._go_on()
                seconds.append(self._step(present["micro_batch_size"], phase, taken))
                taken += 1
            return seconds

        def visit():
            retries = self._torch_cuda.retries()
            take(untimed_steps, "warmup")
            begin = time.perf_counter()
            seconds = take(steps, "timed")
            end = time.perf_counter()
            present["visits"].append(
                {"clock": begin - self._hello, "seconds": end - begin, "step_seconds": seconds}
            )
            present["alloc_retries"] += self._torch_cuda.retries() - retries

        def work():
            nonlocal present
            for present in compared:
                # Each with a cache of its own, so that its peak is not another's.
                self._torch_cuda.empty_cache()
                self._reset_peaks()
                take(_STEPS_BEFORE_COMPARING, "warmup")
                present["peak_reserved_bytes"] = int(self._peak_bytes())
            for turn in range(visits):
                for present in compared if turn % 2 == 0 else reversed(compared):
                    visit()

        result = self._result_of(request, work)
        if result is not None:
            thrashes = any(size["alloc_retries"] for size in compared)
            result.update(compared=compared, flags=["thrashes"] if thrashes else [])
            if result["outcome"] != "ok":
                result["micro_batch_size"] = present["micro_batch_size"]
        return result

    def _result_of(self, request, work):
        """What is the same in the results of trials and comparisons, once work() has taken their steps."""
        self._id, self._limit = request.get("id"), request.get("time_limit", 60.0)
        self._start = time.perf_counter()
        outcome, text, failed, sticky = "ok", "", False, False
        try:
            work()
        except _Ended as end:
            outcome = str(end)
        except Exception as error:
            failed = True
            text = _text_of(error)
            outcome, sticky = _judge(error, text)
        if sticky:
            self._channel.send({"type": "error", "text": text, "fatal": True})
            return None
        result = {
            "type": "result",
            "id": self._id,
            "outcome": outcome,
            "peak_reserved_bytes": int(self._peak_bytes()),
            "wall_seconds": time.perf_counter() - self._start,
        }
        if failed:
            # The exception is gone here, and with it what its traceback held.
            self._recover()
            result["text"] = text
        return result

    def _step(self, size, phase, index):
        before = time.perf_counter()
        self._step_fn(size)
        seconds = max(time.perf_counter() - before, 1e-9)
        self._channel.send(
            {"type": "step", "id": self._id, "phase": phase, "index": index, "seconds": seconds}
        )
        return seconds

    def _is_cancelled(self):
        return self._inbox.is_cancelled(self._id)

    def _time_is_up(self):
        return time.perf_counter() - self._start >= self._limit

    def _go_on(self):
        if self._is_cancelled():
            raise _Ended("cancelled")
        if self._time_is_up():
            raise _Ended("timeout")


class _Ended(Exception):
    """What ends a trial or a comparison that has not failed: the word of the outcome."""


def _is_warm(seconds, limit):
    if len(seconds) < _FEWEST_WARMUP:
        return False
    if len(seconds) >= _MOST_WARMUP or sum(seconds) >= _WARMUP_SHARE * limit:
        return True
    settled = seconds[1:]
    return len(settled) > 1 and abs(settled[-1] - settled[-2]) < _STEADY_WITHIN * min(settled[-2:])


def _midmean(seconds):
    dropped = max(len(seconds) // 5, 1 if len(seconds) >= 3 else 0)
    middle = sorted(seconds)[dropped : len(seconds) - dropped]
    return math.fsum(middle) / len(middle)


def _text_of(error):
    return "%s: %s" % (type(error).__name__, error)


def _judge(error, text):
    lowered = text.lower()
    if isinstance(error, MemoryError) or any(word in lowered for word in _OUT_OF_MEMORY_TEXTS):
        return "oom", False
    return "failed", any(word in lowered for word in _STICKY_TEXTS)


class _Channel:
    """Standard output, taken away from everybody else."""

    def __init__(self):
        sys.stdout.flush()
        self._out = os.fdopen(os.dup(1), "wb", buffering=0)
        os.dup2(2, 1)

    def send(self, message):
        line = (json.dumps(message, allow_nan=False) + "\n").encode("ascii")
        try:
            while line:
                line = line[self._out.write(line) :]
        except BrokenPipeError:
            os._exit(0)


class _Inbox:
    """Standard input, read by a thread, so that a cancel and the parent's end are heard within a step."""

    def __init__(self):
        self._messages = queue.Queue()
        self._cancelled = set()
        # Ctrl-C, a terminal that is gone, and a system that ends all processes of a group or a container are for the
        # parent, which decides what becomes of this process. A handler of your own stays.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for end in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(end) is signal.SIG_DFL:
                signal.signal(end, signal.SIG_IGN)
        threading.Thread(target=self._read, daemon=True).start()

    def next(self):
        return self._messages.get()

    def is_cancelled(self, trial):
        return trial in self._cancelled

    def _read(self):
        with os.fdopen(os.dup(0), "rb") as stream:
            while True:
                line = stream.readline(MAX_LINE_BYTES + 1)
                if not line:
                    os._exit(0)
                self._take(line)

    def _take(self, line):
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            message = {"type": "problem", "text": "The line is not a JSON object: %.80r" % line}
        if message.get("type") == "cancel":
            self._cancelled.add(message.get("id"))
        else:
            self._messages.put(message)


class _TorchCuda:
    """What torch tells of the GPU, where the script itself has imported torch."""

    def _cuda(self):
        torch = sys.modules.get("torch")
        return torch.cuda if torch and torch.cuda.is_available() else None

    def framework(self):
        torch = sys.modules.get("torch")
        return "torch " + torch.__version__ if torch else "Python " + sys.version.split()[0]

    def device(self):
        cuda = self._cuda()
        if not cuda:
            return {"kind": "cpu", "name": "", "uuid": "", "total_bytes": 0, "free_bytes": 0}
        free, total = cuda.mem_get_info()
        name = cuda.get_device_name()
        return {"kind": "cuda", "name": name, "uuid": "", "total_bytes": total, "free_bytes": free}

    def peak_bytes(self):
        cuda = self._cuda()
        return cuda.max_memory_reserved() if cuda else 0

    def reset_peaks(self):
        cuda = self._cuda()
        if cuda:
            cuda.reset_peak_memory_stats()

    def retries(self):
        cuda = self._cuda()
        return cuda.memory_stats().get("num_alloc_retries", 0) if cuda else 0

    def empty_cache(self):
        cuda = self._cuda()
        if cuda:
            cuda.empty_cache()
