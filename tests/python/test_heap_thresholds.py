# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the options of malloc that are set before steps of a size on the CPU."""

from __future__ import annotations

import importlib.util
import sys
import unittest

from .talk import PACKAGE

sys.path.insert(0, str(PACKAGE))
if importlib.util.find_spec("torch"):
    import torch
    from batchpeak_trial.heap_thresholds import HeapThresholds

_KIBIBYTE = 1 << 10
_MEBIBYTE = 1 << 20


@unittest.skipUnless(importlib.util.find_spec("torch"), "torch is not installed")
class HeapThresholdsTest(unittest.TestCase):
    def setUp(self):
        self.options: dict[int, int] = {}
        self.thresholds = HeapThresholds(self.options.__setitem__)

    def threshold(self) -> int:
        self.assertEqual(self.options[-1], 2 * self.options[-3])
        return self.options[-3]

    def step(self, size: int, mebibytes: int) -> None:
        self.thresholds.begin(size)
        with self.thresholds.watching():
            torch.ones(mebibytes, _MEBIBYTE // 4) * 2

    def test_are_those_of_each_size_alone(self):
        self.step(1, mebibytes=2)
        self.assertEqual(self.threshold(), 2 * _MEBIBYTE + 4 * _KIBIBYTE)
        self.thresholds.begin(2)
        self.assertEqual(self.threshold(), 128 * _KIBIBYTE)
        self.step(2, mebibytes=5)
        self.thresholds.begin(1)
        self.assertEqual(self.threshold(), 2 * _MEBIBYTE + 4 * _KIBIBYTE)
        self.thresholds.begin(2)
        self.assertEqual(self.threshold(), 5 * _MEBIBYTE + 4 * _KIBIBYTE)

    def test_see_backward_too(self):
        weight = torch.ones(4, 4, requires_grad=True)
        self.thresholds.begin(1)
        with self.thresholds.watching():
            (torch.ones(_MEBIBYTE, 4) @ weight).sum().backward()
        self.assertEqual(self.threshold(), 16 * _MEBIBYTE + 4 * _KIBIBYTE)

    def test_know_no_blocks_that_are_always_the_kernels(self):
        self.step(1, mebibytes=33)
        self.assertEqual(self.threshold(), 128 * _KIBIBYTE)

    def test_pass_over_views_of_weights(self):
        weight = torch.ones(8, _MEBIBYTE // 4)
        self.thresholds.begin(1)
        with self.thresholds.watching():
            weight.t().view(-1, 8)[:4].sum()
        self.assertEqual(self.threshold(), 128 * _KIBIBYTE)

    def test_learn_nothing_of_a_step_that_fails(self):
        self.thresholds.begin(1)
        with self.assertRaises(ZeroDivisionError), self.thresholds.watching():
            torch.ones(4, _MEBIBYTE)
            raise ZeroDivisionError
        self.step(1, mebibytes=2)
        self.assertEqual(self.threshold(), 2 * _MEBIBYTE + 4 * _KIBIBYTE)


if __name__ == "__main__":
    unittest.main()
