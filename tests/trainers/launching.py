# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a shell script with stand-ins for the programs that it starts, and returns the words that they are given."""

import contextlib
import re
import shlex
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

SHELL_SUFFIXES = {".sh", ".slurm", ".sbatch"}

# Programs that start another program with the rest of their words.
RUNNERS = ("accelerate", "bash", "conda", "deepspeed", "nohup", "poetry", "python", "python3", "srun", "torchrun", "uv")
RUNNING_MODULES = ("accelerate.commands.launch", "torch.distributed.launch", "torch.distributed.run")
# Trainers with a program of their own; the others are scripts or modules.
TRAINERS = ("axolotl", "llamafactory-cli", "megatron", "swift", "tune")
# Scripts compute words with these, which write no files.
HARMLESS = ("basename", "cat", "cut", "dirname", "expr", "head", "seq", "tr", "wc")

# Appends its name and its words to a file: each ends with a NUL, and the record with END.
END = "\1\0"
STAND_IN = """#!/bin/sh
printf '%s\\0' "${{0##*/}}" "$@" >> {record}
printf '\\001\\0' >> {record}
"""
# Appends the name and the text of a heredoc in the same way.
HEREDOC = """#!/bin/sh
{{ printf '%s\\0' "${{0##*/}}" "$1"; cat; printf '\\0\\001\\0'; }} >> {record}
"""
# Preparations succeed, as they would on the computer that a script is for.
PREAMBLE = """
command_not_found_handle() { :; }
cd() { :; }
source() { :; }
.() { :; }
ulimit() { :; }
"""

REDIRECTED_HEREDOC = re.compile(
    r"""^([ \t]*)(?:cat|tee)[ \t]*>?[ \t]*(?P<file>"[^"\n]+"|[^\s<>|]+)?[ \t]*(?P<heredoc><<-?[ \t]*["'\\]?\w+["']?)"""
    r"""[ \t]*(?:>[ \t]*(?P<later>"[^"\n]+"|[^\s|]+))?[^\n]*$""",
    re.MULTILINE,
)
# A restricted shell does not start a program whose output goes to a file.
REDIRECTION = re.compile(
    r"""[ \t](?:&>>?|[12]?>>?&?)[ \t]*("[^"\n]*"|[^\s;|&<>()"']+)(?=[ \t]*(?:[|;&]|[12]?>|$))""", re.MULTILINE
)


@dataclass(frozen=True)
class Launch:
    """The start of a trainer: the options of its launcher, such as torchrun's, then the trainer's program or module,
    and its words."""

    options: list[str]
    program: str
    words: list[str]


def launched(script: str, sign: str) -> Launch:
    """Returns the first start of a trainer that has `sign` in its words, or in the name of its program."""
    for launch in filter(None, map(launch_of, commands_of(script))):
        if any(sign in word for word in (launch.program, *launch.words)):
            return launch
    raise ValueError(f"the script starts nothing with {sign}")


def config_of(file: str) -> str:
    """Returns the config that a shell script writes by a heredoc, as a file next to the script. Other texts are configs
    themselves."""
    if Path(file).suffix not in SHELL_SUFFIXES:
        return file
    records = commands_of(file)
    written = {Path(record[1]).name: record[2] for record in records if record[0] == "heredoc"}
    named = [Path(word).name for record in records if record[0] != "heredoc" for word in record]
    for name in [*named, *written]:
        if name in written and Path(name).suffix in {".yaml", ".yml", ".json"}:
            config = Path(file).with_name(f"written-{name}")
            config.write_text(written[name])
            return str(config)
    raise ValueError("the script writes no config")


def words_or_file(file: str, sign: str, command: str) -> list[str]:
    """Returns the command and the words that a shell script passes to a trainer with several commands, or `command` and
    the file if the text is a config."""
    if Path(file).suffix not in SHELL_SUFFIXES:
        return [command, file]
    launch = launched(file, sign)
    return launch.words if launch.program in TRAINERS else [Path(launch.program).stem, *launch.words]


def launch_of(words: list[str]) -> Optional[Launch]:
    """Returns how the words of a command start a trainer. Python's and torchrun's words can follow those of srun."""
    first = 0
    if "--" in words:
        inner = launch_of(words[words.index("--") + 1 :])
        if inner:
            return inner
    for place, word in enumerate(words):
        if word == "-c" and words[place - 1] == "bash":
            return launch_of(shlex.split(words[place + 1]))
        if word in RUNNERS or word in RUNNING_MODULES:
            first = place + 1
        elif word in ("-m", "--module"):
            if place + 1 < len(words) and words[place + 1] not in RUNNING_MODULES:
                return Launch(words[first:place], words[place + 1], words[place + 2 :])
        elif word in TRAINERS or word.endswith(".py"):
            return Launch(words[first:place], word, words[place + 1 :])
    return None


def commands_of(script: str) -> list[list[str]]:
    """Returns the words of each program that a script starts: first with arguments, which some scripts need, then
    without, since others refuse them."""
    return run(script, *"abcdefgh") + run(script)


def run(script: str, *arguments: str) -> list[list[str]]:
    """Returns the words of each program that a script starts with these arguments. In a restricted shell that finds
    only stand-ins and harmless programs, and that writes no files, a script can only assemble words."""
    text = Path(script).read_text(encoding="utf-8")
    text = REDIRECTED_HEREDOC.sub(to_stand_in, text)
    text = REDIRECTION.sub("", text)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        record = folder / "record"
        record.touch()
        for program in HARMLESS:
            (folder / program).symlink_to(shutil.which(program))
        for program in (*RUNNERS, *TRAINERS):
            place_program(folder / program, STAND_IN.format(record=record))
        place_program(folder / "heredoc", HEREDOC.format(record=record))
        (folder / "preamble").write_text(PREAMBLE)
        (folder / "script").write_text(text)
        # A script can wait for something in a loop.
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(
                ["/bin/bash", "--restricted", folder / "script", *arguments],
                env={"PATH": name, "BASH_ENV": str(folder / "preamble"), "HOME": name},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                cwd=folder,
                timeout=5,
            )
        return [words.split("\0")[:-1] for words in record.read_text().split(END) if words]


def place_program(file: Path, text: str) -> None:
    file.write_text(text)
    file.chmod(0o755)


def to_stand_in(found: re.Match) -> str:
    """Returns the start of a heredoc, with the stand-in in the place of a program that writes it to a file."""
    file = found["file"] or found["later"]
    return f"{found[1]}heredoc {file} {found['heredoc']}" if file else found[0]
