# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that no answer for another config is lost when a process of a trainer ends early."""

import sys
import unittest
from pathlib import Path

from trainers.asking import TrainerMissing, ask
from trainers.batches import Answer, Batches, Request


def request(words: str) -> Request:
    return Request(file=f"/scratch/{words}", origin=words, phase="train", devices=2)


class AskTest(unittest.TestCase):
    def ask(self, *words: str) -> list[Answer]:
        return ask(Path(sys.executable), "rehearsal", [request(each) for each in words])

    def test_answers_come_in_order(self) -> None:
        self.assertEqual(
            self.ask("3", "5"), [Answer(Batches(3, 2, 6)), Answer(Batches(5, 2, 10))]
        )

    def test_a_refusal_is_said_without_the_folder_of_the_copy(self) -> None:
        self.assertEqual(self.ask("refused")[0].refusal, "ValueError: refused is no config")

    def test_what_a_trainer_prints_is_no_answer(self) -> None:
        self.assertEqual(self.ask("printing", "3"), [Answer(Batches(1)), Answer(Batches(3, 2, 6))])

    def test_a_process_that_ends_refuses_one_config_alone(self) -> None:
        before, ended, after = self.ask("3", "ending", "5")
        self.assertEqual((before, after), (Answer(Batches(3, 2, 6)), Answer(Batches(5, 2, 10))))
        self.assertEqual(ended.refusal, "the process ended: out of luck")

    def test_a_trainer_that_is_not_there_has_refused_nothing(self) -> None:
        with self.assertRaisesRegex(TrainerMissing, "No module named 'trainers.readers.of_nobody'"):
            ask(Path(sys.executable), "of_nobody", [request("3")])

    def test_variables_of_one_config_are_none_of_the_next(self) -> None:
        self.assertEqual(self.ask("variable", "variable"), [Answer(Batches(1))] * 2)


if __name__ == "__main__":
    unittest.main()
