# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Explores a config with batchpeak-worker, and records the load message."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

# Records the messages to the worker, and passes them on.
_RELAY = """#!/bin/sh
tee -a {log} | {worker} --device {kind}
"""


@dataclass(frozen=True)
class Explored:
    size: int
    # Samples of one optimizer step on this device; 0 if the config does not state them.
    batch: int
    samples_per_second: float
    confidence: int
    trials: int
    wall_seconds: float
    load: dict


def explore(batchpeak: str, worker: str, config: str, device: str, options: list[str]) -> Explored:
    """Explores a config with a fresh history. Raises RuntimeError if there is no recommendation."""
    with tempfile.TemporaryDirectory(prefix="batchpeak-transfer-") as name:
        folder = Path(name)
        relay = folder / "worker.sh"
        log = folder / "told.jsonl"
        kind = device.partition(":")[0]
        relay.write_text(_RELAY.format(log=shlex.quote(str(log)), worker=shlex.quote(worker), kind=kind))
        relay.chmod(0o700)
        events = folder / "events.jsonl"
        command = [batchpeak, "explore", config, "--device", device, "--setting", "explore"]
        command += ["--worker", shlex.quote(str(relay)), "--events", str(events), "--quiet"]
        environment = {**os.environ, "XDG_DATA_HOME": name}
        done = subprocess.run(
            command + options, env=environment, capture_output=True, text=True, check=False
        )
        told = [json.loads(line) for line in events.read_text().splitlines()] if events.exists() else []
        last = next((event for event in reversed(told) if event["event"] == "finished"), None)
        if not last or not last["micro_batch_size"]:
            raise RuntimeError("%s recommended nothing: %s%s" % (config, done.stdout, done.stderr))
        started = next(event for event in told if event["event"] == "started")
        loads = (json.loads(line) for line in log.read_text().splitlines())
        return Explored(
            size=last["micro_batch_size"],
            batch=(started["batch_size"] or 0) // (started["devices"] or 1),
            samples_per_second=last["samples_per_second"],
            confidence=last["confidence"],
            trials=last["trials"],
            wall_seconds=last["wall_seconds"],
            load=next(message for message in loads if message["type"] == "load"),
        )
