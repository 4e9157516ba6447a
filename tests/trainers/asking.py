# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks a trainer what it reads, in processes of the trainer's environment."""

import json
import os
import subprocess
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .batches import Answer, Batches, Request
from .reading import READY

# The folder that contains this package.
TESTS = Path(__file__).resolve().parent.parent


def environment_of_trainer() -> dict[str, str]:
    """Returns an environment in which a trainer does not use the network and sees no GPUs."""
    return os.environ | {
        "PYTHONPATH": str(TESTS),
        "PYTHONWARNINGS": "ignore",
        "PYTHONDONTWRITEBYTECODE": "1",
        "CUDA_VISIBLE_DEVICES": "",
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",
        "DO_NOT_TRACK": "1",
        "AXOLOTL_DO_NOT_TRACK": "1",
    }


class TrainerMissing(Exception):
    """Raised for a trainer that cannot be asked, which is different from one that refuses a config."""


def ask(python: Path, reader: str, requests: list[Request]) -> list[Answer]:
    """Returns an answer for each request, in order. If a process ends early, it has refused the text that it was
    reading, and another process continues with the rest."""
    answers: list[Answer] = []
    with tempfile.TemporaryDirectory() as folder:
        while len(answers) < len(requests):
            found, last_words = ask_once(python, reader, requests[len(answers) :], folder)
            answers += found
            if len(answers) < len(requests):
                answers.append(Answer(refusal=f"the process ended: {last_words}"))
    return answers


def ask_once(python: Path, reader: str, requests: list[Request], folder: str) -> tuple[list[Answer], str]:
    lines = "".join(json.dumps(asdict(request)) + "\n" for request in requests)
    ran = subprocess.run(
        [python.absolute(), "-m", "trainers.reading", reader],
        input=lines,
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment_of_trainer(),
    )
    words = ([""] + [line for line in ran.stderr.splitlines() if line.strip()])[-1]
    first, *rest = ran.stdout.splitlines() or [""]
    if first != READY:
        raise TrainerMissing(words)
    return [answer_from_json(json.loads(line)) for line in rest], words


def answer_from_json(given: dict[str, Any]) -> Answer:
    batches = given["batches"]
    return Answer(Batches(**batches) if batches else None, given["refusal"])
