# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains whole batches of a script's own samples, each with one optimizer step, which a confirmation run times. The
counterpart of app/worker/training_state.cpp, without data files, checkpoints and evaluation."""

from __future__ import annotations

import math

from .failures import UnsupportedSize
from .requests import Bench, Ended, RunningRequest

_SAMPLES = 1024
_SECONDS_BETWEEN_REPORTS = 0.1
_OTHER_DATA = (
    "This program trains on its own samples, and reads no other data. Ask for synthetic data, or train "
    "with batchpeak-worker or your own trainer."
)
NO_CHECKPOINTS = (
    "This program neither writes nor reads checkpoints. Train with batchpeak-worker or your own trainer."
)
_NO_EVALUATION = "This program runs only training steps. Evaluate with batchpeak-worker or your own trainer."


def even_spread(samples: int, largest: int) -> list[int]:
    """Splits samples into as few micro-batches as possible, whose sizes differ by one at most:
    core/accumulation/micro_batches.h."""
    count = -(-samples // largest)
    size, more = divmod(samples, count)
    return [size + 1] * more + [size] * (count - more)


def readiness(request: dict, bench: Bench) -> tuple[dict, str]:
    """Returns the answer to a training request, or a sentence that says why there is none."""
    data = request.get("data")
    data = data if isinstance(data, dict) else {}
    samples = data.get("samples", _SAMPLES)
    if not bench.steps.trains:
        return {}, "The network was loaded for evaluation, so it cannot be trained. Load it for training."
    if data.get("kind") != "synthetic":
        return {}, _OTHER_DATA
    if request.get("checkpoint"):
        return {}, NO_CHECKPOINTS
    if not is_count(samples):
        return {}, "A training must say its samples, a whole number above 0."
    ready = {"type": "training_ready", "samples": samples, "tokens_per_sample": bench.tokens_per_sample}
    return ready, ""


def is_count(value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


class RunningBatch(RunningRequest):
    answer_type = "batch_result"

    def __init__(self, request: dict, bench: Bench):
        super().__init__({**request, "time_limit": math.inf}, bench)
        self.size = request["micro_batch_size"]
        self._trains = request.get("phase", "train") == "train"
        self._samples = request["samples"]
        self._chain = None
        self._retries_before = bench.retries()
        self._reported = 0.0

    def work(self) -> None:
        if not self._trains:
            raise UnsupportedSize(_NO_EVALUATION)
        if self.bench.trained_size != self.size:
            # Start with an empty cache, so that the peak does not include memory of the previous size.
            self.bench.empty_cache()
            self.bench.trained_size = self.size
        self.bench.reset_peaks()
        try:
            self._chain = self.bench.run(even_spread(self._samples, self.size), self._take_breath)
        except Ended:
            # Drop the accumulated gradients, since the batch is incomplete.
            self.bench.hooks.recover(self.device)
            raise

    def fields(self, _outcome: str) -> dict:
        chain = self._chain
        return {
            "micro_batch_size": self.size,
            "seconds": chain.total_seconds if chain else 0.0,
            "optimizer_seconds": (chain.optimizer_seconds or 0.0) if chain else 0.0,
            "peak_allocated_bytes": self.bench.peaks()[0],
            "alloc_retries": self.bench.retries() - self._retries_before,
        }

    def circumstances(self) -> dict:
        """Returns nothing: a training does not need them."""
        return {}

    def regain(self) -> bool:
        return super().regain() and not self.bench.steps.has_begun_optimizer

    def _take_breath(self, index: int) -> None:
        """Reports progress between micro-batches and ends a canceled batch. Processes that take steps together must
        take all steps."""
        seconds = self.seconds_so_far()
        if seconds - self._reported >= _SECONDS_BETWEEN_REPORTS:
            self._reported = seconds
            self.report("timed", index, seconds)
        if self.bench.team.is_alone and self.is_cancelled():
            raise Ended("cancelled")
