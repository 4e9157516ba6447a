# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds the same conversation with batchpeak-worker and with the Python worker: both must answer in the same way.

BATCHPEAK_WORKER is the path of batchpeak-worker, and BATCHPEAK_TORCH_PYTHON a Python with torch and transformers; the
defaults are those of `make build` and `make setup-parity`. If either is missing, the test is skipped. Both run on
BATCHPEAK_TALK_DEVICE, by default the CPU. conversation.json lists allowed differences, each with its reason."""

from __future__ import annotations

import json
import os
import subprocess
import unittest
from pathlib import Path

from .talk import Talk

ROOT = Path(__file__).resolve().parents[2]
CONVERSATION = json.loads(Path(__file__).with_name("conversation.json").read_text(encoding="utf-8"))
# Readings that only one of the two programs may report for a trial: a gauge without a value is left out.
GAUGES = {
    *("energy_joules", "mean_power_watts", "temperature_celsius", "clock_megahertz", "processor_share"),
    *("foreign_processors", "contention", "minor_page_faults_per_step", "major_page_faults_per_step"),
}
KNOWN_FLAGS = {"abandoned", "thrashes", "without all optimizer steps"}


def worker_path() -> str:
    return os.environ.get("BATCHPEAK_WORKER") or str(ROOT / "build/dev/bin/batchpeak-worker")


def torch_python() -> str:
    return os.environ.get("BATCHPEAK_TORCH_PYTHON") or str(ROOT / ".venv-parity/bin/python")


def lacks_torch(python: str) -> bool:
    find = "import importlib.util as u, sys; sys.exit(not (u.find_spec('torch') and u.find_spec('transformers')))"
    try:
        return subprocess.run([python, "-c", find], check=False, capture_output=True).returncode != 0
    except OSError:
        return True


def shape_of(value):
    """Returns the names and types of a value's parts, without numbers."""
    if isinstance(value, dict):
        return {name: shape_of(part) for name, part in value.items()}
    if isinstance(value, list):
        return [shape_of(value[0])] if value else []
    if isinstance(value, bool) or value is None:
        return type(value).__name__
    return "number" if isinstance(value, (int, float)) else type(value).__name__


def is_of(difference: dict, turn: dict) -> bool:
    """Returns whether a difference applies to a turn: it names one turn, or a type of answer."""
    return turn["name"] == difference.get("turn") or turn["answer"] == difference.get("answer")


class Speaker:
    """Leads one program through the conversation."""

    def __init__(self, talk: Talk):
        self._talk = talk
        self.answers: dict[str, dict] = {}
        self.steps: dict[str, set] = {}

    def hold(self) -> None:
        for turn in CONVERSATION["turns"]:
            try:
                self._say(turn)
            except BrokenPipeError:
                said = "It has ended before %s; %s" % (turn["name"], self._talk.errors())
                raise AssertionError(said) from None
            self.answers[turn["name"]] = self._heard(turn)

    def _say(self, turn: dict) -> None:
        if "say_line" in turn:
            self._talk.say_line(b" " * turn.get("blanks", 0) + turn["say_line"].encode() + b"\n")
            return
        message = dict(turn["say"])
        kind = message.pop("type", None)
        if kind == "load":
            message = {**CONVERSATION["load"], **message}
            model = message.get("model")
            message["model"] = CONVERSATION["models"][model] if isinstance(model, str) else model
            message = {name: value for name, value in message.items() if value is not None}
        named = {"type": kind} if kind else {}
        self._talk.say_line((json.dumps({**named, **message}) + "\n").encode())

    def _heard(self, turn: dict) -> dict:
        then = turn.get("then")
        while True:
            message = self._talk.next()
            if message is None:
                return {"type": "end", "code": self._talk.exit_code()}
            if message["type"] == "step":
                self.steps.setdefault(turn["name"], set()).add(frozenset(message))
                if then and (message["phase"] == "timed" or turn["answer"] == "batch_result"):
                    self._talk.say_line((json.dumps(then) + "\n").encode())
                    then = None
                continue
            if message["type"] != "log":
                return message


class ConversationTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        worker, python = worker_path(), torch_python()
        if not os.access(worker, os.X_OK):
            raise unittest.SkipTest("There is no batchpeak-worker at %s" % worker)
        if lacks_torch(python):
            raise unittest.SkipTest("%s has no torch and transformers" % python)
        quiet = {"OMP_NUM_THREADS": "1"}
        device = os.environ.get("BATCHPEAK_TALK_DEVICE", "cpu")
        talks = {
            "worker": Talk("--device", device, program=worker, environment=quiet),
            "python": Talk(
                *("-m", "batchpeak_trial.transformers", "--device", device), program=python, environment=quiet
            ),
        }
        cls.speakers = {name: Speaker(talk) for name, talk in talks.items()}
        try:
            for speaker in cls.speakers.values():
                speaker.hold()
        finally:
            for talk in talks.values():
                talk.end()

    def pairs(self):
        """Yields each turn and the two answers."""
        for turn in CONVERSATION["turns"]:
            yield turn, *(speaker.answers[turn["name"]] for speaker in self.speakers.values())

    def allowed(self, turn: dict) -> set:
        """Returns the names of fields that may differ in an answer according to the documented differences."""
        return {
            field
            for difference in CONVERSATION["differences"]
            if is_of(difference, turn)
            for field in difference["fields"]
        }

    def test_answers_are_of_the_kinds_that_were_expected(self):
        for turn, worker, python in self.pairs():
            with self.subTest(turn["name"]):
                self.assertEqual((worker["type"], python["type"]), (turn["answer"],) * 2, (worker, python))

    def test_answers_have_the_same_fields(self):
        for turn, worker, python in self.pairs():
            free = GAUGES | self.allowed(turn)
            shapes = [
                # Disturbances of a trial do not depend on the program.
                {
                    name: "list" if name == "flags" else shape_of(value)
                    for name, value in answer.items()
                    if name not in free
                }
                for answer in (worker, python)
            ]
            with self.subTest(turn["name"]):
                self.assertEqual(*shapes)

    def test_differences_that_are_documented_are_there(self):
        for difference in CONVERSATION["differences"]:
            pairs = [(turn["name"], *pair) for turn, *pair in self.pairs() if is_of(difference, turn)]
            self.assertTrue(pairs, difference)
            for name, worker, python in pairs:
                for field in difference["fields"]:
                    with self.subTest(name + ": " + field):
                        self.assertNotEqual(field in worker, field in python)

    def test_answers_are_to_what_was_asked(self):
        for turn, *answers in self.pairs():
            for answer in answers:
                with self.subTest(turn["name"]):
                    if turn["answer"] in ("result", "batch_result", "saved"):
                        self.assertEqual(answer["id"], turn["say"]["id"])
                    if "micro_batch_size" in turn.get("say", {}) and turn["answer"] != "error":
                        self.assertEqual(answer["micro_batch_size"], turn["say"]["micro_batch_size"])

    def test_outcomes_are_the_same(self):
        for turn, worker, python in self.pairs():
            with self.subTest(turn["name"]):
                for name in ("outcome", "fatal", "last", "code", "protocol", "micro_batch_size"):
                    self.assertEqual(worker.get(name), python.get(name), (worker, python))
                if turn["answer"] == "loaded":
                    self.assertEqual(worker["parameters"], python["parameters"])
                    fits = [answer["baseline_bytes"] <= answer["limit_bytes"] for answer in (worker, python)]
                    self.assertEqual(*fits)

    def test_flags_are_of_one_vocabulary(self):
        for turn, *answers in self.pairs():
            flags = [
                {flag for flag in answer.get("flags", []) if not flag.startswith("disturbed")}
                for answer in answers
            ]
            with self.subTest(turn["name"]):
                self.assertLessEqual(flags[0] | flags[1], KNOWN_FLAGS)
                self.assertEqual(*flags)

    def test_texts_are_sentences(self):
        for turn, *answers in self.pairs():
            for answer in answers:
                with self.subTest(turn["name"]):
                    if answer["type"] == "error":
                        self.assertRegex(answer["text"], r"^[A-Z].*\S$")

    def test_steps_have_the_same_fields(self):
        worker, python = (speaker.steps for speaker in self.speakers.values())
        # A batch that ends within a tenth of a second reports no progress.
        quick = {turn["name"] for turn in CONVERSATION["turns"] if turn["answer"] == "batch_result"}
        self.assertEqual(worker.keys() - quick, python.keys() - quick)
        for name in worker.keys() & python.keys():
            with self.subTest(name):
                self.assertEqual(worker[name], python[name])


if __name__ == "__main__":
    unittest.main()
