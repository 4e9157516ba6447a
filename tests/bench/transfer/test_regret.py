# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import math
import unittest

from .regret import lead_of, may_lead, rate, regret_of
from .sweep import sizes_around


class RegretTest(unittest.TestCase):
    def test_counts_an_optimizer_step_for_each_batch(self):
        # 4 micro-batches of 8 take 4 s, and one optimizer step 1 s.
        self.assertAlmostEqual(rate(8, 32, seconds=1.0, optimizer_seconds=1.0), 32 / 5)
        # A size above the batch size makes a larger batch.
        self.assertAlmostEqual(rate(64, 32, seconds=4.0, optimizer_seconds=1.0), 64 / 5)

    def test_tells_a_lead_with_its_error(self):
        lead = lead_of(8, [math.log(1.02), math.log(1.04)])
        self.assertAlmostEqual(lead.mean, 0.03, places=3)
        self.assertAlmostEqual(lead.standard_error, 0.0097, places=3)

    def test_is_the_lead_of_a_size_that_is_faster_in_all_visits(self):
        regret = regret_of({4: [math.log(0.9)] * 4, 16: [math.log(1.05)] * 4})
        self.assertEqual(regret.best.size, 16)
        self.assertAlmostEqual(regret.share, 0.05)

    def test_is_nothing_where_no_size_is_faster(self):
        self.assertEqual(regret_of({4: [math.log(0.9)] * 4, 16: [math.log(0.99)] * 4}).share, 0.0)

    def test_believes_no_luck(self):
        # Each leads in only one half of the visits.
        lucky = regret_of({4: [0.02, -0.02] * 3, 16: [-0.02, 0.02] * 3})
        self.assertEqual(lucky.share, 0.0)

    def test_gives_up_what_is_slower_beyond_doubt(self):
        self.assertFalse(may_lead([-0.2, -0.21, -0.19, -0.2]))
        self.assertTrue(may_lead([-0.2, 0.1, -0.3, 0.0]))
        self.assertTrue(may_lead([-0.01, -0.01, -0.01, -0.01]))

    def test_looks_around_the_size(self):
        self.assertEqual(sizes_around(8), [1, 2, 4, 6, 8, 11, 16, 32])
        self.assertEqual(sizes_around(1), [1, 2, 4])


if __name__ == "__main__":
    unittest.main()
