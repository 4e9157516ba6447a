# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs in the interpreter of a trainer's own environment: `python -m trainers.reading READER`.

It reads requests from standard input, one JSON object per line, and writes answers to standard output in the same
way. What the trainer prints goes to standard error, so that it is not mistaken for an answer.
"""

import argparse
import importlib
import json
import os
import re
import sys
from dataclasses import asdict
from typing import Callable, NoReturn

from .batches import Answer, Batches, Request

Reader = Callable[[Request], Batches]

# The first line of the answers: the trainer could be imported, so later failures concern configs.
READY = "ready"


def answer(read: Reader, request: Request) -> Answer:
    environment = dict(os.environ)
    os.environ["WORLD_SIZE"] = str(request.devices)
    try:
        return Answer(batches=read(request))
    # Trainers call sys.exit() for invalid arguments.
    except (Exception, SystemExit) as error:
        return Answer(refusal=sentence(error, request))
    finally:
        # A trainer passes settings to libraries in environment variables, which must not affect the next config.
        os.environ.clear()
        os.environ.update(environment)


def sentence(error: BaseException, request: Request) -> str:
    """Returns an error as one line, without the folder of the text, which differs for each copy."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text.replace(os.path.dirname(request.file) + "/", "")[:400]


def refuse(parser: argparse.ArgumentParser, message: str) -> NoReturn:
    """Replaces ArgumentParser.error(), which prints the usage and ends the process. Among unknown arguments can be
    sizes, which differ between copies."""
    raise ValueError(re.sub(r"(?<=[ =])\d+(?= |$)", "N", message))


def main() -> None:
    argparse.ArgumentParser.error = refuse
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    read: Reader = importlib.import_module(f"trainers.readers.{sys.argv[1]}").read
    answers.write(READY + "\n")
    answers.flush()
    for line in sys.stdin:
        given = answer(read, Request(**json.loads(line)))
        answers.write(json.dumps(asdict(given)) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
