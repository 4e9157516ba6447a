# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads configs with the YAML readers of trainers before and after a size is written into them.

The trees may differ only in the size, in the batch size or accumulation steps that depend on it, and in the switch
that would change them; otherwise, the program exits with 1. Launch scripts are not YAML and are skipped.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from ruamel.yaml import YAML

from .tree_difference import Change, changes

READERS: dict[str, Callable[[str], Any]] = {
    "PyYAML": yaml.safe_load,
    "ruamel.yaml, safe": lambda text: YAML(typ="safe", pure=True).load(text),
    "ruamel.yaml, round-trip": lambda text: YAML(typ="rt").load(text),
}
# Substrings of the keys that writing a size may change, in any trainer.
INTENDED = ("batch", "gradient_accumulation_steps")


def is_intended(change: Change) -> bool:
    return any(word in change.path for word in INTENDED)


def problem(before: Any, after: Any, size: int) -> str:
    """Returns what is wrong with a copy; empty if nothing is."""
    found = list(changes(before, after))
    others = [change.path for change in found if not is_intended(change)]
    if others:
        return "differs at " + ", ".join(others)
    if not any(change.after == size for change in found):
        return f"has no {size}"
    return ""


def problems_of(file: Path, program: Path) -> list[str]:
    """Returns a problem for each copy and reader whose tree differs; raises if no size can be written."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        written = subprocess.run([program, file, folder], check=True, capture_output=True, text=True)
        before = file.read_bytes().decode("utf-8-sig")
        for copy in map(json.loads, written.stdout.splitlines()):
            name, size = copy["copy"], copy["size"]
            after = (Path(folder) / name).read_bytes().decode("utf-8-sig")
            readers = READERS | ({"json": json.loads} if is_json(before) else {})
            for reader, load in readers.items():
                wrong = problem(load(before), load(after), size)
                found += [f"{name}, {reader}: {wrong}"] if wrong else []
    return found


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def main() -> int:
    parser = argparse.ArgumentParser(prog="make test-yaml-readers", description=__doc__)
    parser.add_argument("--program", type=Path, required=True, help="batchpeak-write-sizes")
    parser.add_argument("folders", type=Path, nargs="+", help="folders of configs; missing folders are skipped")
    options = parser.parse_args()

    suffixes = {".yaml", ".yml", ".json"}
    files = [file for folder in options.folders for file in sorted(folder.rglob("*")) if file.suffix in suffixes]
    wrong = 0
    for file in files:
        try:
            found = problems_of(file, options.program)
        except subprocess.CalledProcessError as error:
            found = [f"no size was written: {error.stderr.strip()}"]
        wrong += bool(found)
        print(f"{'OFF' if found else 'ok '}  {file}")
        for line in found:
            print(f"     {line}")
    print(f"{len(files) - wrong} of {len(files)} configs differ only in the size, as read by {', '.join(READERS)}.")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main())
