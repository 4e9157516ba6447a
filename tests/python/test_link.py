# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the fit of a ring all-reduce to measured times, without any process to measure."""

from __future__ import annotations

import sys
import unittest

from .talk import PACKAGE

sys.path.insert(0, str(PACKAGE))

from batchpeak_trial.link import fitted, predicted_seconds  # noqa: E402  (the path comes first)

BYTES = [1 << power for power in range(10, 27, 2)]


def times(processes: int, alpha: float, beta: float, factors=(1.0,)) -> dict:
    """Returns what a ring would measure, times factors in turn."""
    link = {"alpha_seconds": alpha, "beta_seconds_per_byte": beta}
    seconds = [
        predicted_seconds(link, size, processes) * factors[place % len(factors)] for place, size in enumerate(BYTES)
    ]
    return {"processes": processes, "bytes": BYTES, "seconds": seconds}


class LinkTest(unittest.TestCase):
    def test_predicts_a_ring(self):
        # Two rounds of a message of half the bytes.
        link = {"alpha_seconds": 1.0, "beta_seconds_per_byte": 0.5}
        self.assertEqual(predicted_seconds(link, 8, 2), 2 * (1.0 + 4 * 0.5))
        self.assertEqual(predicted_seconds(link, 8, 4), 6 * (1.0 + 2 * 0.5))

    def test_finds_what_made_the_times(self):
        for processes in (2, 3, 8):
            for alpha, beta in ((5e-5, 1e-9), (1e-6, 1e-11), (0.0, 1e-9), (1e-3, 0.0)):
                with self.subTest(processes=processes, alpha=alpha, beta=beta):
                    link = fitted(times(processes, alpha, beta))
                    self.assertEqual(link["processes"], processes)
                    self.assertAlmostEqual(link["alpha_seconds"], alpha, delta=1e-6 * alpha + 1e-15)
                    self.assertAlmostEqual(link["beta_seconds_per_byte"], beta, delta=1e-6 * beta + 1e-18)
                    self.assertAlmostEqual(link["relative_error"], 0.0, delta=1e-6)

    def test_states_how_far_times_are_from_a_ring(self):
        link = fitted(times(2, 5e-5, 1e-9, factors=(1.0, 1.2)))
        self.assertGreater(link["relative_error"], 0.05)
        self.assertLess(link["relative_error"], 0.15)
        self.assertAlmostEqual(link["alpha_seconds"], 5e-5, delta=0.2 * 5e-5)

    def test_small_messages_count_as_much_as_large_ones(self):
        link = fitted(times(2, 5e-5, 1e-9, factors=(1.1, 1.0, 1.0)))
        for size, seconds in zip(BYTES, times(2, 5e-5, 1e-9)["seconds"]):
            self.assertAlmostEqual(predicted_seconds(link, size, 2) / seconds, 1.0, delta=0.1)

    def test_is_never_below_zero(self):
        falling = {"processes": 2, "bytes": [1024, 4096], "seconds": [2e-3, 1e-3]}
        self.assertEqual(fitted(falling)["beta_seconds_per_byte"], 0.0)
        steep = {"processes": 2, "bytes": [1024, 4096], "seconds": [1e-4, 1e-3]}
        self.assertEqual(fitted(steep)["alpha_seconds"], 0.0)


if __name__ == "__main__":
    unittest.main()
