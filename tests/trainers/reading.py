# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs in the interpreter of a trainer's own environment: `python -m trainers.reading READER`.

Requests come as JSON on standard input, one a line, and answers leave the same way. What the trainer prints goes
to standard error, so that it cannot be taken for an answer.
"""

import argparse
import importlib
import json
import os
import sys
from dataclasses import asdict
from typing import Callable, NoReturn

from .batches import Answer, Batches, Request

Reader = Callable[[Request], Batches]

# The first line of the answers: the trainer is there, so that whatever comes is about configs.
READY = "ready"


def answer(read: Reader, request: Request) -> Answer:
    environment = dict(os.environ)
    os.environ["WORLD_SIZE"] = str(request.devices)
    try:
        return Answer(batches=read(request))
    # Trainers end the process where arguments are illegal.
    except (Exception, SystemExit) as error:
        return Answer(refusal=sentence(error, request))
    finally:
        # A trainer hands its decisions to libraries by variables, which are none of the next config's.
        os.environ.clear()
        os.environ.update(environment)


def sentence(error: BaseException, request: Request) -> str:
    """On one line, and without the folder in which the text lies, which is another one for each copy."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text.replace(os.path.dirname(request.file) + "/", "")[:400]


def refuse(parser: argparse.ArgumentParser, message: str) -> NoReturn:
    """In place of printing the usage and ending the process."""
    raise ValueError(message)


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
