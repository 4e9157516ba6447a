# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A trainer for the tests of asking.py: the name of the text determines what it does."""

import os
import sys
from pathlib import Path

from ..batches import Batches, Request


def read(request: Request) -> Batches:
    words = Path(request.file).name
    if words == "refused":
        raise ValueError(f"{request.file} is no config")
    if words == "printing":
        print('{"batches": null, "refusal": "printed"}')
        return Batches(1)
    if words == "ending":
        print("out of luck", file=sys.stderr, flush=True)
        os._exit(3)
    if words == "variable":
        os.environ["REHEARSALS"] = os.environ.get("REHEARSALS", "") + "1"
        return Batches(len(os.environ["REHEARSALS"]))
    size = int(words)
    devices = int(os.environ["WORLD_SIZE"])
    return Batches(size, devices, size * devices)
