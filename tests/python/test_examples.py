# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the examples in python/examples over the trial protocol. An example is skipped if a package is missing."""

from __future__ import annotations

import importlib.util
import os
import signal
import tempfile
import time
import unittest
from pathlib import Path

from .talk import PACKAGE, Talk, running

EXAMPLES = PACKAGE / "examples"
# TOO_MANY samples do not fit into the limit.
LIMIT, TOO_MANY = 300_000_000, 200_000


def needs(*packages: str):
    missing = [package for package in packages if not importlib.util.find_spec(package)]
    return unittest.skipIf(missing, "This Python has no %s; run make test-python." % " and no ".join(missing))


class ExampleCase(unittest.TestCase):
    """What every example must answer; subclasses name the example and its further properties."""

    launcher: tuple[str, ...] = ()
    example = ""
    parameters = 0
    phases: tuple[str, ...] = ("forward_seconds", "backward_seconds", "optimizer_seconds")
    framework = "torch "
    environment: dict[str, str] = {}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.pids: list[int] = []

    def start(self, script: Path | None = None, **load) -> Talk:
        environment = {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": "", **self.environment}
        command = *self.launcher, str(script or EXAMPLES / self.example)
        talk = Talk(*command, environment=environment, folder=self.folder)
        self.addCleanup(self.kill)
        self.addCleanup(talk.end)
        self.hello = talk.ask("hello", protocol=2)
        self.loaded = talk.ask("load", model={"family": "own"}, **load)
        self.pids += [talk.process.pid, *talk.descendants()]
        return talk

    def kill(self):
        for pid in running(self.pids):
            os.kill(pid, signal.SIGKILL)

    def trial(self, talk: Talk, size: int) -> dict:
        result = talk.ask("trial", id=size, micro_batch_size=size, min_steps=4, max_steps=6, min_seconds=0.01)
        self.pids += talk.descendants()
        self.assertEqual(result["outcome"], "ok", result)
        self.assertEqual((result["id"], result["micro_batch_size"]), (size, size))
        self.assertGreaterEqual(result["steps"], 4)
        self.assertGreater(min(result["step_seconds"]), 0)
        self.assertGreater(result["peak_reserved_bytes"], 0)
        told = {"forward_seconds", "backward_seconds", "optimizer_seconds"} & result.keys()
        self.assertEqual(told, set(self.phases))
        for phase in self.phases:
            self.assertGreater(result[phase], 0)
        return result

    def compare(self, talk: Talk, *sizes: int) -> None:
        result = talk.ask("compare", id=9, micro_batch_sizes=list(sizes), visits=2, steps=2)
        self.pids += talk.descendants()
        self.assertEqual(result["outcome"], "ok", result)
        self.assertEqual([entry["micro_batch_size"] for entry in result["compared"]], list(sizes))
        for entry in result["compared"]:
            for visit in entry["visits"]:
                self.assertGreater(min(visit["step_seconds"]), 0)

    def assert_ended(self, talk: Talk):
        self.assertEqual(talk.exit_code(), 0, talk.errors())
        # A launcher or a shell may end before the other processes do.
        self.assertEqual(running(self.pids, 2.0), [])


class ExampleTests:
    """Does not derive from unittest.TestCase, so that the tests run only for examples."""

    def test_trials_a_comparison_and_a_size_that_does_not_fit(self):
        talk = self.start(memory_limit_bytes=LIMIT)
        self.assertEqual(self.hello["program"], self.example)
        self.assertTrue(self.hello["framework"].startswith(self.framework), self.hello)
        self.assertEqual(self.loaded["parameters"], self.parameters)
        self.trial(talk, 2)
        self.trial(talk, 8)
        self.compare(talk, 2, 8)
        self.exceed(talk)

    def exceed(self, talk: Talk):
        result = talk.ask("trial", id=TOO_MANY, micro_batch_size=TOO_MANY)
        self.assertEqual((result["outcome"], result["steps"]), ("oom", 0), result)
        self.goes_on(talk, result)

    def goes_on(self, talk: Talk, result: dict):
        self.assertNotIn("last", result)
        self.trial(talk, 4)
        self.say_goodbye(talk)

    def say_goodbye(self, talk: Talk):
        # Like Batchpeak, which also closes its output.
        talk.say("bye")
        talk.process.stdin.close()
        self.assert_ended(talk)

    def test_ends_with_its_input_in_the_middle_of_a_trial(self):
        talk = self.start()
        endless = {"min_steps": 10**6, "max_steps": 10**6, "time_limit": 3600}
        talk.say("trial", id=1, micro_batch_size=2, **endless)
        self.assertEqual(talk.next()["type"], "step")
        self.pids += talk.descendants()
        talk.process.stdin.close()
        self.assert_ended(talk)


@needs("torch")
class PlainTorchTest(ExampleTests, ExampleCase):
    example = "plain_torch.py"
    parameters = 256 * 1024 + 1024 + 1024 * 10 + 10


@needs("torch", "transformers", "accelerate")
class HuggingFaceTrainerTest(ExampleTests, ExampleCase):
    example = "hugging_face_trainer.py"
    # Two layers, embeddings of tokens and positions, and the last norm.
    parameters = 2 * (12 * 64 * 64 + 13 * 64) + (512 + 64) * 64 + 2 * 64
    phases = ("optimizer_seconds",)
    environment = {"HF_HUB_OFFLINE": "1"}


@needs("torch", "lightning")
class LightningModuleTest(ExampleTests, ExampleCase):
    example = "lightning_module.py"
    parameters = PlainTorchTest.parameters


@needs("torch")
class TwoProcessesTest(ExampleTests, ExampleCase):
    # The module that the command torchrun runs.
    launcher = ("-m", "torch.distributed.run", "--nproc-per-node", "2")
    example = "two_processes.py"
    parameters = PlainTorchTest.parameters

    def test_both_step_until_they_are_told_to_end(self):
        talk = self.start()
        self.assertTrue(self.hello["framework"].endswith(", 2 processes"), self.hello)
        self.assertEqual(len(self.pids), 3)
        self.trial(talk, 2)
        self.say_goodbye(talk)

    def goes_on(self, talk: Talk, result: dict):
        self.assertTrue(result["last"])
        self.assert_ended(talk)

    def test_a_failure_of_one_leaves_no_other_waiting_for_gradients(self):
        for rank, failing, outcome in (
            (0, "raise MemoryError('of one')", "oom"),
            (1, "raise MemoryError('of one')", "oom"),
            (1, "raise ValueError('of one')", "failed"),
        ):
            with self.subTest(rank=rank, failing=failing):
                talk = self.start(self.failing(rank, failing))
                result = talk.ask("trial", id=1, micro_batch_size=2, timeout=30.0)
                self.assertEqual(result["outcome"], outcome)
                self.assertIn("of one", result["text"])
                self.assertTrue(result["last"])
                self.assert_ended(talk)

    def test_one_that_is_killed_ends_the_other(self):
        talk = self.start(self.failing(1, "os._exit(9)"))
        talk.say("trial", id=1, micro_batch_size=2)
        self.assertIn("rank 1", talk.hear("error", timeout=30.0)["text"])
        self.assertNotEqual(talk.exit_code(), 0)
        self.assertEqual(running(self.pids, 5.0), [])

    def failing(self, rank: int, statement: str) -> Path:
        """Returns a copy of the example that runs a statement in one process after three steps."""
        text = (EXAMPLES / self.example).read_text()
        call = "    loss = torch.nn.functional.cross_entropy(model(inputs), targets)\n"
        self.assertEqual(text.count(call), 1)
        fails = "    if next(steps) > 3 and torch.distributed.get_rank() == %d:\n        %s\n"
        script = Path(self.folder, "failing.py")
        text = text.replace(call, fails % (rank, statement) + call)
        script.write_text("import itertools\nsteps = itertools.count(1)\n" + text)
        return script


@needs("jax")
class JaxStepTest(ExampleTests, ExampleCase):
    example = "jax_step.py"
    parameters = 256 * 1024 + 1024 * 10
    phases = ("optimizer_seconds",)
    framework = "jax "
    environment = {"JAX_LOG_COMPILES": "1", "JAX_PLATFORMS": "cpu"}

    def test_compiles_each_size_once_and_before_what_is_timed(self):
        talk = self.start()
        for sizes, size in ((1, 2), (1, 2), (2, 8), (2, 2)):
            talk.say("trial", id=1, micro_batch_size=size, min_steps=4, max_steps=6)
            step = talk.next()
            self.assertEqual((step["phase"], step["index"]), ("warmup", 0))
            after_first = self.compilations(talk, sizes)
            self.assertEqual(after_first, {"loss_of": sizes, "updated": 1})
            self.assertEqual(talk.hear("result")["outcome"], "ok")
            self.assertEqual(self.compilations(talk, sizes), after_first)

    def compilations(self, talk: Talk, at_least: int) -> dict[str, int]:
        """Waits for compilations in standard error, which may arrive later than the message of the step."""
        end = time.monotonic() + 5.0
        while True:
            counts = {name: talk.errors().count("Compiling jit(%s)" % name) for name in ("loss_of", "updated")}
            if counts["loss_of"] >= at_least and counts["updated"] >= 1 or time.monotonic() > end:
                return counts
            time.sleep(0.02)


@needs("torch")
class DataLoaderTest(ExampleTests, ExampleCase):
    example = "data_loader.py"
    parameters = 256 * 10 + 10

    def exceed(self, talk: Talk):
        # Workers hold its samples, and their memory does not count for a step.
        self.say_goodbye(talk)

    def test_a_worker_that_fails_is_replaced(self):
        loop = "        while True:\n"
        talk = self.start(self.changed(loop, loop + "            open('readable').close()\n"))
        for is_readable, outcome in ((True, "ok"), (False, "failed"), (True, "ok")):
            readable = Path(self.folder, "readable")
            readable.touch() if is_readable else readable.unlink()
            result = talk.ask("trial", id=1, micro_batch_size=4)
            self.assertEqual(result["outcome"], outcome, result)
        self.say_goodbye(talk)

    def test_processes_that_import_the_script_anew_leave_the_conversation_to_it(self):
        workers = "num_workers=2"
        for method in ("spawn", "forkserver"):
            with self.subTest(method):
                context = workers + ", multiprocessing_context='%s'" % method
                talk = self.start(self.changed(workers, context))
                self.trial(talk, 4)
                self.say_goodbye(talk)

    def changed(self, text: str, replacement: str) -> Path:
        example = (EXAMPLES / self.example).read_text()
        self.assertEqual(example.count(text), 1)
        script = Path(self.folder, "changed.py")
        script.write_text(example.replace(text, replacement))
        return script

    def test_loading_is_a_part_of_the_step_and_its_workers_are_of_one_size(self):
        call = "    inputs, targets = next(batches)\n"
        talk = self.start(self.changed(call, call + "    assert len(inputs) == micro_batch_size\n"))
        for size in (4, 32, 4):
            result = self.trial(talk, size)
            self.assertGreater(result["forward_seconds"], result["backward_seconds"])
            self.assertEqual(len(talk.descendants()), 2)


if __name__ == "__main__":
    unittest.main()
