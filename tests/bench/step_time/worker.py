# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Our side: the worker that users' explorations run, controlled through the trial protocol."""

import json
import os
import subprocess
from pathlib import Path

from parity.networks.network import Network

from .table import StepBlock

TIME_LIMIT_SECONDS = 600.0


class Worker:
    def __init__(
        self, program: Path, device: str, threads: int, environment: dict[str, str] | None = None
    ):
        self._process = subprocess.Popen(
            [program, "--device", device],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"OMP_NUM_THREADS": str(threads)} | (environment or {}),
        )
        self._trials = 0
        self._say({"type": "hello", "protocol": 1})
        self._hear("hello")

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stdin.close()
        self._process.wait()

    def load(
        self,
        network: Network,
        precision: str,
        checkpoints: bool = False,
        tuning: dict[str, object] | None = None,
    ) -> None:
        step = {"activation_checkpointing": True} if checkpoints else {}
        self._say(network.load_message() | {"precision": precision} | step | (tuning or {}))
        self._hear("loaded")

    def run(self, micro_batch_size: int, steps: int) -> StepBlock:
        """Warms up, then times a number of steps."""
        self._trials += 1
        self._say(
            {
                "type": "trial",
                "id": self._trials,
                "micro_batch_size": micro_batch_size,
                "min_steps": steps,
                "max_steps": steps,
                "min_seconds": 0.0,
                "time_limit": TIME_LIMIT_SECONDS,
                "abandon_above": 0.0,
            }
        )
        result = self._hear("result")
        if result["outcome"] != "ok":
            raise RuntimeError(f"The worker's trial ended with {result['outcome']}: {result.get('text')}")
        # The protocol reports the optimizer's time once per trial, since it hardly varies.
        optimizer = result["optimizer_seconds"]
        return StepBlock(
            [seconds + optimizer for seconds in result["step_seconds"]],
            result["peak_allocated_bytes"],
            result["flags"],
        )

    def _say(self, message: dict[str, object]) -> None:
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def _hear(self, kind: str) -> dict:
        """Returns the next message of a type. It skips others, but raises RuntimeError for an error message."""
        for line in self._process.stdout:
            message = json.loads(line)
            if message["type"] == "error":
                raise RuntimeError(f"The worker says: {message['text']}")
            if message["type"] == kind:
                return message
        raise RuntimeError(f"The worker ended without a message of type {kind}.")
