# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests what counts as equal, as differing, and as refused already."""

import unittest

from trainers.batches import Answer, Batches, batches_of_plan
from trainers.comparison import Case, ConfigResult, Verdict, compare, tally

BEFORE = Batches(4, 2, 8)
AFTER = Batches(2, 4, 8)


def original(theirs: Answer, ours: Batches = BEFORE) -> Case:
    return Case("train, as it is", ours, theirs)


def written(theirs: Answer, ours: Batches = AFTER) -> Case:
    return Case("train", ours, theirs)


class CompareTest(unittest.TestCase):
    def verdict(self, before: Answer, after: Answer) -> Verdict:
        return compare([original(before)], [written(after)]).verdict

    def test_same_batches_before_and_after_are_equal(self) -> None:
        self.assertEqual(self.verdict(Answer(BEFORE), Answer(AFTER)), Verdict.EQUAL)

    def test_each_number_counts(self) -> None:
        for theirs in (Batches(3, 4, 8), Batches(2, 3, 8), Batches(2, 4, 16)):
            with self.subTest(theirs=theirs):
                self.assertEqual(self.verdict(Answer(BEFORE), Answer(theirs)), Verdict.DIFFERS)

    def test_a_config_that_was_read_otherwise_before_differs(self) -> None:
        self.assertEqual(self.verdict(Answer(Batches(4, 1, 4)), Answer(AFTER)), Verdict.DIFFERS)

    def test_a_size_alone_is_compared_where_steps_are_left_to_another_config(self) -> None:
        self.assertEqual(self.verdict(Answer(BEFORE), Answer(Batches(2))), Verdict.EQUAL)
        self.assertEqual(self.verdict(Answer(BEFORE), Answer(Batches(3))), Verdict.DIFFERS)

    def test_a_trainer_that_states_no_size_differs(self) -> None:
        self.assertEqual(self.verdict(Answer(BEFORE), Answer(Batches(None))), Verdict.DIFFERS)

    def test_a_search_is_no_number_to_be_stated(self) -> None:
        asked = original(Answer(Batches(None)), ours=Batches(None, None, 8))
        self.assertEqual(compare([asked], [written(Answer(AFTER))]).verdict, Verdict.EQUAL)

    def test_the_same_refusal_before_and_after_is_the_configs_own(self) -> None:
        result = compare([original(Answer(refusal="no GPU"))], [written(Answer(refusal="no GPU"))])
        self.assertEqual(result, ConfigResult(Verdict.REFUSED_ALREADY, ("no GPU",)))

    def test_a_refusal_of_the_copy_alone_differs(self) -> None:
        self.assertEqual(self.verdict(Answer(BEFORE), Answer(refusal="no such key")), Verdict.DIFFERS)

    def test_another_refusal_of_the_copy_differs(self) -> None:
        self.assertEqual(self.verdict(Answer(refusal="no GPU"), Answer(refusal="no such key")), Verdict.DIFFERS)

    def test_a_refusal_of_the_original_alone_differs(self) -> None:
        self.assertEqual(self.verdict(Answer(refusal="no GPU"), Answer(AFTER)), Verdict.DIFFERS)

    def test_a_config_without_copies_differs(self) -> None:
        self.assertEqual(compare([original(Answer(BEFORE))], []).verdict, Verdict.DIFFERS)

    def test_remarks_name_both_values(self) -> None:
        (remark,) = compare([original(Answer(BEFORE))], [written(Answer(Batches(2, 1, 2)))]).remarks
        self.assertEqual(
            remark,
            "train: Batchpeak has micro-batch 2, 4 steps, batch 8; the trainer has micro-batch 2, 1 steps, batch 2",
        )


class TallyTest(unittest.TestCase):
    def test_counts_each_verdict_and_reason(self) -> None:
        refused = ConfigResult(Verdict.REFUSED_ALREADY, ("no GPU",))
        counted = tally([ConfigResult(Verdict.EQUAL), ConfigResult(Verdict.DIFFERS, ("x",)), refused, refused])
        self.assertEqual((counted.equal, counted.differing, counted.compared), (1, 1, 2))
        self.assertEqual(counted.refused, {"no GPU": 2})


class PlanTest(unittest.TestCase):
    PLAN = {"micro_batch_size": 2, "accumulation_steps": 4, "batch_size": 8, "devices": 1}

    def test_training_has_all_three_numbers(self) -> None:
        self.assertEqual(batches_of_plan(self.PLAN, "train"), AFTER)

    def test_evaluation_has_its_size_alone(self) -> None:
        self.assertEqual(batches_of_plan(self.PLAN, "eval"), Batches(2))

    def test_a_search_has_no_size(self) -> None:
        self.assertEqual(batches_of_plan({"batch_size": 8, "devices": 1}, "train"), Batches(None, None, 8))


if __name__ == "__main__":
    unittest.main()
