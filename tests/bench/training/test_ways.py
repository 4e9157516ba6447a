# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests how events of the program are evaluated."""

import unittest

from . import table
from .program import Event, Run
from .rounds import Achieved
from .ways import Found, explored, trained


def step(at: float, size: int, seconds: float = 1.0) -> Event:
    return Event(
        at,
        {
            "event": "step",
            "micro_batch_size": size,
            "seconds": seconds,
            "samples_per_second": 64 / seconds,
            "peak_reserved_bytes": size * 2**20,
        },
    )


def end(at: float, **fields) -> Event:
    return Event(at, {"event": "training_finished"} | fields)


class WaysTest(unittest.TestCase):
    def test_a_size_is_found_when_its_first_step_begins(self):
        run = Run([step(3.0, 32), step(9.0, 16), step(10.5, 16), end(11.0, out_of_memory_events=2)])
        self.assertEqual(trained(run), Found(size=16, seconds=8.0, out_of_memory=2))

    def test_a_size_that_comes_back_is_found_the_second_time(self):
        run = Run([step(3.0, 16), step(5.0, 32), step(9.0, 16), end(11.0, out_of_memory_events=0)])
        self.assertEqual(trained(run).seconds, 8.0)

    def test_a_training_in_which_nothing_fits_has_no_size(self):
        run = Run([end(7.0, out_of_memory_events=6)], fits=False)
        self.assertEqual(trained(run), Found(size=None, seconds=7.0, out_of_memory=6))

    def test_an_exploration_counts_its_trials(self):
        trials = [Event(1.0, {"event": "trial_finished", "outcome": word}) for word in ("ok", "oom", "ok")]
        run = Run([*trials, end(20.0, micro_batch_size=22)])
        self.assertEqual(explored(run), Found(size=22, seconds=20.0, out_of_memory=1))

    def test_ratios_are_those_of_rounds(self):
        ours = Achieved([100.0, 50.0, 10.0], peak_bytes=2**20)
        theirs = Achieved([90.0, 45.0, 10.0], peak_bytes=2**21)
        rows = table.rows(
            {"ours": Found(22, 20.0, 0), "theirs": Found(16, 3.0, 2), "none": Found(None, 1.0, 6)},
            {22: ours, 16: theirs},
            "ours",
        )
        self.assertEqual([row.ratio for row in rows], [1.0, 0.9, None])
        self.assertEqual(rows[1].text(), "| theirs | 16 | 45.0 | 0.900 | 2 | 3.0 s | 2 MiB |")
        self.assertEqual(rows[2].text(), "| none | none |  |  | 6 | 1.0 s |  |")

    def test_a_size_that_does_not_fit_in_training_is_told(self):
        failed = Achieved(ran_out_of_memory=True)
        rows = table.rows(
            {"ours": Found(22, 20.0, 0), "theirs": Found(24, 3.0, 2)}, {22: Achieved([1.0]), 24: failed}, "ours"
        )
        self.assertEqual(rows[1].text(), "| theirs | 24 | ran out of memory |  | 2 | 3.0 s |  |")


if __name__ == "__main__":
    unittest.main()
