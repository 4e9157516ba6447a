# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks trainers what they read from configs before and after a size is written into them.

Micro-batch size, accumulation steps and global batch size must be those that Batchpeak states; otherwise, the program
exits with 1. A config that its trainer refuses for the same reason with and without a written size is counted
separately.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .asking import TrainerMissing, ask
from .batches import Request, batches_of_plan
from .comparison import Case, ConfigResult, Tally, Verdict, compare, tally
from .launching import SHELL_SUFFIXES
from .subjects import ABSENT, SUBJECTS, Subject

SUFFIXES = {".yaml", ".yml", ".json", ".toml"} | SHELL_SUFFIXES


@dataclass(frozen=True)
class Written:
    """A config, and its copies with a written size, as batchpeak-write-sizes describes them."""

    file: Path
    folder: Path
    copies: list[dict[str, Any]]

    @property
    def format(self) -> str:
        return self.copies[0]["format"]


def write_sizes(program: Path, files: list[Path], scratch: Path) -> list[Written]:
    """Writes sizes into copies of configs; other files are skipped. The config and each copy have the same name in
    separate folders, so that a trainer can distinguish them only by their values."""
    written = []
    for number, file in enumerate(files):
        folder = scratch / str(number)
        (folder / "texts").mkdir(parents=True)
        ran = subprocess.run([program, file, folder / "texts"], capture_output=True, text=True)
        copies = [json.loads(line) for line in ran.stdout.splitlines()]
        if ran.returncode != 0 or not copies:
            continue
        place(folder / "original" / file.name, file.read_bytes())
        for copy in copies:
            place(folder / copy["copy"] / file.name, (folder / "texts" / copy["copy"]).read_bytes())
        written.append(Written(file, folder, copies))
    return written


def place(file: Path, text: bytes) -> None:
    file.parent.mkdir()
    file.write_bytes(text)


@dataclass(frozen=True)
class Question:
    """One request to a trainer, and Batchpeak's plan for the same text."""

    name: str
    is_original: bool
    request: Request
    plan: dict[str, Any]


def questions_of(config: Written) -> list[Question]:
    questions = []
    for copy in config.copies:
        if copy["copy"] == copy["phase"]:
            questions.append(question(config, "original", copy["phase"], copy["before"]))
        questions.append(question(config, copy["copy"], copy["phase"], copy["after"]))
    return questions


def question(config: Written, folder: str, phase: str, plan: dict[str, Any]) -> Question:
    text = config.folder / folder / config.file.name
    request = Request(str(text), str(config.file.resolve()), phase, plan["devices"])
    name = f"{phase}, as it is" if folder == "original" else folder
    return Question(name, folder == "original", request, plan)


def results_of(subject: Subject, configs: list[Written], environments: Path) -> list[ConfigResult]:
    questions = [questions_of(config) for config in configs]
    python = environments / subject.environment / "bin" / "python"
    answers = iter(ask(python, subject.reader, [asked.request for group in questions for asked in group]))
    results = []
    for group in questions:
        sorted_cases: tuple[list[Case], list[Case]] = ([], [])
        for asked in group:
            case = Case(asked.name, batches_of_plan(asked.plan, asked.request.phase), next(answers))
            sorted_cases[0 if asked.is_original else 1].append(case)
        results.append(compare(*sorted_cases))
    return results


def version(subject: Subject, environments: Path) -> str:
    code = f"import importlib.metadata; print(importlib.metadata.version({subject.package!r}))"
    python = environments / subject.environment / "bin" / "python"
    return subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def print_remarks(subject: Subject, configs: list[Written], results: list[ConfigResult]) -> None:
    for config, result in zip(configs, results):
        if result.verdict is Verdict.DIFFERS:
            for remark in result.remarks:
                print(f"DIFFERS  {subject.name}: {config.file}: {remark}")


def print_table(rows: list[tuple[Subject, str, list[Written], Tally]]) -> None:
    print("\n| trainer | version | configs | sizes written | equal | refused already |")
    print("|---|---|---:|---:|---:|---:|")
    for subject, found_version, configs, counted in rows:
        sizes = sum(len(config.copies) for config in configs)
        refused = sum(counted.refused.values())
        print(
            f"| {subject.name} | {found_version} | {len(configs)} | {sizes} "
            f"| {counted.equal} of {counted.compared} | {refused} |"
        )


def print_refusals(subject: Subject, counted: Tally) -> None:
    for reason, count in sorted(counted.refused.items(), key=lambda item: -item[1]):
        print(f"refused already  {subject.name}: {count}: {reason}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="make test-trainers", description=__doc__)
    parser.add_argument("--program", type=Path, required=True, help="batchpeak-write-sizes")
    parser.add_argument("--environments", type=Path, default=Path(".venv-trainers"), help="folder of setup-trainers.sh")
    parser.add_argument("--only", action="append", help="trainer, as named in the table; may be repeated")
    parser.add_argument("folders", type=Path, nargs="+", help="folders of configs; missing folders are skipped")
    options = parser.parse_args()

    for folder in options.folders:
        if not folder.is_dir():
            print(f"skipped: {folder} is not here")
    files = [file for folder in options.folders for file in sorted(folder.rglob("*")) if file.suffix in SUFFIXES]
    rows, missing = [], []
    with tempfile.TemporaryDirectory() as scratch:
        written = write_sizes(options.program, files, Path(scratch))
        print(f"{len(written)} of {len(files)} texts are configs that a size can be written into")
        for subject in SUBJECTS:
            configs = [config for config in written if config.format == subject.format]
            if (options.only and subject.name not in options.only) or not configs:
                continue
            try:
                results = results_of(subject, configs, options.environments)
            except (OSError, TrainerMissing) as error:
                print(f"MISSING  {subject.name}: {error}")
                missing.append(subject.name)
                continue
            print_remarks(subject, configs, results)
            rows.append((subject, version(subject, options.environments), configs, tally(results)))
    for subject, _, _, counted in rows:
        print_refusals(subject, counted)
    print_table(rows)
    for name, reason in ABSENT.items():
        print(f"not asked: {name}: {reason}")
    # If a trainer refused all configs already, the sizes were not compared.
    wrong = [subject.name for subject, _, _, counted in rows if counted.differing or not counted.compared]
    return 1 if wrong or missing or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
