# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests gates, failures and GPU devices without torch and without a GPU."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import types
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

from .talk import PACKAGE

sys.path.insert(0, str(PACKAGE))

from batchpeak_trial import failures, host_memory  # noqa: E402
from batchpeak_trial.devices import CudaDevice  # noqa: E402
from batchpeak_trial.failures import classify, is_of_memory, requested_bytes  # noqa: E402
from batchpeak_trial.nvidia_gate import NvidiaGate  # noqa: E402
from batchpeak_trial.nvml import Condition, Nvml  # noqa: E402
from batchpeak_trial.processor_gate import (  # noqa: E402
    GateReport,
    ProcessorGate,
    descendant_seconds,
    probe_seconds,
    processor_load,
)
from batchpeak_trial.requests import Bench, RunningRequest  # noqa: E402
from batchpeak_trial.step_statistics import (  # noqa: E402
    RunScatter,
    is_warm,
    relative_standard_error,
    typical_seconds,
)
from batchpeak_trial.steps import Steps  # noqa: E402
from batchpeak_trial.trials import RunningTrial  # noqa: E402

WELL = Condition(
    clock_megahertz=1980.0,
    temperature_celsius=50.0,
    power_watts=400.0,
    energy_joules=100.0,
    processes=frozenset({7}),
)


class _Conditions:
    """A driver that reports one condition after another."""

    def __init__(self, *conditions: Condition):
        self._conditions = list(conditions)

    def condition(self, _uuid: str) -> Condition:
        return self._conditions.pop(0)


def _judged(*conditions: Condition) -> GateReport:
    gate = NvidiaGate(_Conditions(*conditions), "GPU-1")
    gate.begin()
    for _ in conditions[1:]:
        gate.look()
    report = GateReport()
    gate.end(4, report)
    return report


class NvidiaGateTest(unittest.TestCase):
    def test_is_content_with_a_gpu_that_is_well(self):
        report = _judged(WELL, replace(WELL, clock_megahertz=1965.0, temperature_celsius=55.0))
        self.assertEqual((report.disturbances, report.notes), ([], []))
        readings = {"mean_power_watts": 400.0, "temperature_celsius": 55.0, "clock_megahertz": 1965.0}
        self.assertEqual(report.readings, readings)

    def test_tells_why_a_clock_fell(self):
        slow = replace(WELL, clock_megahertz=1500.0)
        fall = "the clock of the GPU fell from 1980 to 1500 MHz"
        self.assertEqual(_judged(WELL, slow).disturbances, [fall])
        self.assertEqual(_judged(WELL, replace(slow, clock_reasons=0x4)).notes, ["power limit: " + fall])
        self.assertEqual(_judged(WELL, replace(slow, clock_reasons=0x4)).disturbances, [])
        for reasons, words in ((0x20, "too hot"), (0x40, "too hot"), (0x80, "power supply"), (0x8, "hardware")):
            self.assertIn(words, _judged(WELL, replace(WELL, clock_reasons=reasons)).disturbances[0])

    def test_sees_other_programs(self):
        company = replace(WELL, processes=frozenset({7, 8}))
        self.assertEqual(_judged(WELL, company).disturbances, ["another program began to use the GPU"])
        self.assertEqual(_judged(company, WELL).disturbances, [])

    def test_tells_what_others_took(self):
        for name, shares, contention in (
            ("alone", (0.0, 0.0), 0.0),
            ("beside another program", (0.0, 0.4), 0.4),
            ("two looks", (0.0, 0.2, 0.4), 0.3),
            ("before the steps", (0.4, 0.0), 0.0),
            ("told once", (0.0, None, 0.4), 0.4),
            ("not told", (None, None), None),
        ):
            with self.subTest(name):
                report = _judged(*(replace(WELL, others_share=share) for share in shares))
                told = report.readings.get("contention")
                self.assertEqual(told if told is None else round(told, 9), contention)

    def test_tells_what_others_took_of_each_visit(self):
        shares = (0.0, 0.2, 0.4)
        gate = NvidiaGate(_Conditions(*(replace(WELL, others_share=share) for share in shares)), "GPU-1")
        gate.begin()
        gate.pause()
        for share in (0.2, 0.4):
            gate.resume()
            self.assertIsNone(gate.contention())
            gate.look()
            gate.pause()
            self.assertAlmostEqual(gate.contention(), share)

    def test_a_visit_has_the_word_of_the_gate_that_tells(self):
        def gate(told):
            return types.SimpleNamespace(contention=lambda: told)

        for told, contention in (((0.1,), 0.1), ((None, 0.3), 0.3), ((None, 0.0), 0.0), ((None, None), None)):
            bench = types.SimpleNamespace(gates=list(map(gate, told)), device=None)
            self.assertEqual(RunningRequest({}, bench).contention_of_visit(), contention)

    def test_leaves_out_what_the_driver_does_not_tell(self):
        report = _judged(Condition(), Condition())
        self.assertEqual((report.readings, report.disturbances), ({}, []))

    def test_a_computer_without_a_driver(self):
        nvml = Nvml("no-such-library.so")
        self.assertEqual(nvml.condition("GPU-1"), Condition())
        self.assertEqual((nvml.devices(), nvml.uuid_of_only_device(), nvml.free_bytes("GPU-1")), ([], "", None))


class _Driver:
    """NVIDIA's library, which reports only processes. utilization has, for each process, the percentage that it used
    and how many seconds ago that was; without utilization, the call fails."""

    def __init__(self, pids, utilization=None):
        self._pids, self._utilization = pids, utilization

    def nvmlDeviceGetHandleByUUID(self, _uuid, handle):
        handle._obj.value = 1
        return 0

    def nvmlDeviceGetComputeRunningProcesses_v3(self, _handle, count, found):
        count._obj.value = len(self._pids)
        for process, pid in zip(found, self._pids):
            process.pid = pid
        return 0

    def nvmlDeviceGetProcessUtilization(self, _handle, samples, count, last_seen):
        if self._utilization is None:
            return 3
        if not samples or count._obj.value < 100:
            count._obj.value = 100
            return 7
        fresh = False
        for sample, (pid, percent, age) in zip(samples, self._utilization):
            sample.pid, sample.sm, sample.time = pid, percent, int(1e6 * (time.time() - age))
            fresh = fresh or sample.time > last_seen.value
        count._obj.value = len(self._utilization)
        return 0 if fresh else 6


class NvmlTest(unittest.TestCase):
    def share(self, driver) -> float | None:
        nvml = Nvml("no-such-library.so")
        nvml._library = driver
        return nvml.condition("GPU-1").others_share

    def test_tells_what_others_used(self):
        own = os.getpid()
        busy = (own, 60, 0)
        for name, pids, utilization, share in (
            ("alone", [own], [busy], 0.0),
            ("beside another program", [own, 22], [busy, (22, 40, 0)], 0.4),
            ("beside several", [22, own, 24], [(22, 40, 0), (24, 15, 0), busy, (23, 5, 0)], 0.6),
            ("more than there is", [own, 22, 24], [(22, 70, 0), (24, 70, 0)], 1.0),
            ("a while ago", [own, 22], [busy, (22, 40, 5)], 0.0),
            ("nothing fresh is told", [own, 22], [(22, 40, 5)], None),
            ("a sample that was never written", [own, 22], [(24, 3272092, 0), (22, 40, 0)], 0.4),
            ("numbers of a host", [21, 22], [(21, 60, 0), (22, 40, 0)], None),
            ("refused", [own, 22], None, None),
        ):
            with self.subTest(name):
                self.assertEqual(self.share(_Driver(pids, utilization)), share)

    def test_a_driver_without_the_function(self):
        whole = _Driver([os.getpid()], [])
        names = ("nvmlDeviceGetHandleByUUID", "nvmlDeviceGetComputeRunningProcesses_v3")
        driver = types.SimpleNamespace(**{name: getattr(whole, name) for name in names})
        self.assertIsNone(self.share(driver))


class ProcessorGateTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "proc/self").mkdir(parents=True)
        (self.root / "proc/self/status").write_text("Name:\tpython\nCpus_allowed_list:\t0-1\n")

    def set_busy(self, ticks: int) -> None:
        row = "%d 0 0 5000 0 0 0 0 0 0" % ticks
        self.root.joinpath("proc/stat").write_text("cpu  9 9 9\ncpu0 %s\ncpu1 %s\ncpu2 %s\n" % (row, row, row))

    def judged(self, threads: int, own: float, ticks: int, meanwhile=lambda: None, **options) -> GateReport:
        """Returns the report on 10 seconds in which each CPU was busy for a number of ticks more."""
        gate = ProcessorGate(threads, root=self.root, **options)
        self.set_busy(100)
        gate.begin()
        self.set_busy(100 + ticks)
        meanwhile()
        gate.pause()
        gate._wall, gate._own, gate._major = 10.0, own, 0
        report = GateReport()
        gate.end(10, report)
        return report

    def test_counts_allowed_processors_alone(self):
        self.set_busy(250)
        load = processor_load(self.root)
        self.assertEqual((load.processors, load.busy_seconds), (2, 5.0))
        self.root.joinpath("proc/stat").write_text("")
        self.assertIsNone(processor_load(self.root))

    def test_is_disturbed_where_others_take_what_it_wants(self):
        # Others took 15 of 20 seconds, so its two threads got a quarter of their time.
        report = self.judged(2, own=5.0, ticks=1000)
        self.assertEqual(report.disturbances, ["other programs used 1.5 of 2 processors"])
        self.assertEqual(report.readings["processor_share"], 0.25)
        self.assertEqual(report.readings["foreign_processors"], 1.5)

    def test_is_not_disturbed_by_its_own_waiting(self):
        self.assertEqual(self.judged(2, own=5.0, ticks=250).disturbances, [])

    def test_is_not_disturbed_by_others_on_other_processors(self):
        self.assertEqual(self.judged(1, own=9.9, ticks=990).disturbances, [])

    def test_counts_a_lower_clock(self):
        """Judges the second of two visits; during the first one, the clock was at its best."""
        for name, probe, taken, contention, of_both in (
            ("even", 50e-6, 0.0, 0.0, 0.0),
            ("as even as clocks are", 51e-6, 0.0, 0.0, 0.0),
            ("three quarters", 50e-6 / 0.75, 0.0, 0.25, 0.125),
            ("three quarters, half of it taken", 50e-6 / 0.75, 0.5, 0.625, 1 - 0.75 * 0.875),
        ):
            with self.subTest(name):
                self.assert_slowed(probe, taken, contention, of_both)

    def assert_slowed(self, probe: float, taken: float, contention: float, of_both: float) -> None:
        use = types.SimpleNamespace(ru_utime=0.0, ru_stime=0.0, ru_minflt=0, ru_majflt=0)
        ended = types.SimpleNamespace(**vars(use))
        told, now = [50e-6, 50e-6, probe, probe], [0.0]
        gate = ProcessorGate(2, root=self.root, probe=lambda: told.pop(0))

        def visit(own: float) -> None:
            now[0] += 10.0
            use.ru_utime += own
            self.set_busy(int(100 * now[0]) + 100)
            gate.pause()

        place = "batchpeak_trial.processor_gate."
        with mock.patch(place + "time.perf_counter", lambda: now[0]), mock.patch(
            place + "resource.getrusage", lambda who: ended if who == resource.RUSAGE_CHILDREN else use
        ):
            self.set_busy(100)
            gate.begin()
            visit(own=20.0)
            self.assertAlmostEqual(gate.contention(), 0.0)
            gate.resume()
            visit(own=20.0 * (1 - taken))
            self.assertAlmostEqual(gate.contention(), contention)
            report = GateReport()
            gate.end(8, report)
        self.assertAlmostEqual(report.readings["contention"], of_both)

    def test_does_not_probe_where_the_clock_says_nothing(self):
        report = self.judged(1, own=5.0, ticks=500, waits_elsewhere=True, probe=self.fail)
        self.assertNotIn("contention", report.readings)

    def test_a_probe_takes_a_moment_of_the_processor(self):
        self.assertGreater(probe_seconds(), 0.0)

    def set_processes(self, ticks: int) -> None:
        """Creates two children, one with a child; one has an unusual name. Each was busy for a number of ticks."""
        row = "%d (%s) S 1 1 1 0 -1 0 0 0 0 0 %d 0 %d 0 20 0"
        for pid, name, children in (("self", "train", "7 8"), ("7", "a ) S 1", "9"), ("8", "b", ""), ("9", "c", "")):
            task = self.root / "proc" / pid / "task/1"
            task.mkdir(parents=True, exist_ok=True)
            (task / "children").write_text(children)
            (task.parents[1] / "stat").write_text(row % (1, name, ticks - ticks // 4, ticks // 4))

    def test_processes_that_it_has_started_are_no_others(self):
        self.set_processes(0)
        before = descendant_seconds(self.root)
        self.set_processes(500)
        self.assertAlmostEqual(descendant_seconds(self.root) - before, 15.0)
        self.set_processes(0)
        report = self.judged(2, own=5.0, ticks=1000, meanwhile=lambda: self.set_processes(500))
        self.assertEqual(report.disturbances, [])
        self.assertAlmostEqual(report.readings["foreign_processors"], 0.0)

    def test_processes_that_take_the_same_steps_are_no_others(self):
        told = [4.0, 19.0]
        report = self.judged(2, own=5.0, ticks=1000, others=lambda: told.pop(0))
        self.assertEqual(report.disturbances, [])
        self.assertAlmostEqual(report.readings["foreign_processors"], 0.0)

    def test_counts_a_child_that_has_ended_as_well(self):
        before = descendant_seconds()
        busy = "import time\nwhile time.process_time() < 0.2: pass\nprint(flush=True)\ninput()"
        with subprocess.Popen([sys.executable, "-c", busy], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
            child.stdout.readline()
            alive = descendant_seconds() - before
            child.communicate(b"\n")
        self.assertGreaterEqual(alive, 0.15)
        self.assertGreaterEqual(descendant_seconds() - before, alive)

    def test_where_the_kernel_does_not_tell(self):
        def judged(**options):
            gate = ProcessorGate(1, root=self.root / "nowhere", **options)
            gate.begin()
            gate.pause()
            gate._wall, gate._own = 10.0, 4.0
            report = GateReport()
            gate.end(10, report)
            return report

        self.assertEqual(judged().disturbances, ["40 % of the processor was given to the trial"])
        self.assertEqual(judged(waits_elsewhere=True).disturbances, [])
        self.assertNotIn("foreign_processors", judged().readings)


class HostMemoryTest(unittest.TestCase):
    def test_heeds_the_control_group(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for path, text in {
                "proc/meminfo": "MemTotal: 1000 kB\nMemAvailable: 800 kB\n",
                "proc/self/cgroup": "0::/a/b\n",
                "sys/fs/cgroup/a/memory.max": "500000\n",
                "sys/fs/cgroup/a/memory.current": "400000\n",
                "sys/fs/cgroup/a/memory.stat": "anon 1\ninactive_file 30000\nactive_file 20000\n",
                "sys/fs/cgroup/a/b/memory.max": "max\n",
            }.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            self.assertEqual(host_memory.host_memory(root), (500000, 150000))
            (root / "sys/fs/cgroup/a/memory.max").write_text("max\n")
            self.assertEqual(host_memory.host_memory(root), (1024000, 819200))
            self.assertEqual(host_memory.host_memory(root / "nowhere"), (0, 0))


class FailuresTest(unittest.TestCase):
    def test_are_told_apart(self):
        refused = "DefaultCPUAllocator: can't allocate memory: you tried to allocate 4096 bytes. Error code 12"
        cases = (
            ("CUDA out of memory. Tried to allocate 2.50 GiB.", "oom", False, False),
            ("CUDA error: an illegal memory access was encountered", "failed", True, False),
            ("CUDA error: out of memory, then an illegal memory access", "failed", True, False),
            ("CUBLAS_STATUS_ALLOC_FAILED", "oom", False, False),
            ("CUDA error: invalid configuration argument", "unsupported", False, False),
            (refused, "oom", False, True),
            ("no such thing", "failed", False, False),
        )
        for text, outcome, sticky, is_of_host in cases:
            failure = classify(RuntimeError(text), has_gpu=True)
            self.assertEqual((failure.outcome, failure.sticky), (outcome, sticky), text)
            self.assertEqual(failure.is_of_host, is_of_host, text)
        self.assertFalse(classify(RuntimeError(refused), has_gpu=False).is_of_host)
        self.assertEqual(classify(MemoryError(), has_gpu=False).outcome, "oom")

    def test_of_memory_are_spelled_in_many_ways(self):
        for text in (
            "Triton Error [CUDA]: out of memory",
            "Triton Error [HIP]: out of memory",
            "CUDA driver error: out of memory",
            "CUDA error: out of memory",
            "HIP out of memory. Tried to allocate 2.00 MiB.",
            "XPU out of memory. Tried to allocate 1.00 GiB",
            "MPS backend out of memory",
            "CUDA_ERROR_OUT_OF_MEMORY",
            "hipErrorOutOfMemory",
            "UR backend failed. UR backend returns:39 (UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY)",
            "RESOURCE_EXHAUSTED: failed to allocate 2.00GiB",
            "OOM when allocating tensor with shape[64,1024]",
            "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
            "CUDA error: HIPBLAS_STATUS_ALLOC_FAILED when calling `hipblasCreate(handle)`",
            "cuDNN error: CUDNN_STATUS_ALLOC_FAILED",
            "CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED",
            "GET was unable to find an engine to execute this computation",
            "DefaultCPUAllocator: can't allocate memory: you tried to allocate 4096 bytes.",
            "std::bad_alloc",
        ):
            self.assertEqual(classify(RuntimeError(text), has_gpu=True).outcome, "oom", text)
            self.assertTrue(is_of_memory(RuntimeError(text)), text)

    def test_of_torch_have_types_of_their_own(self):
        class OutOfMemoryError(RuntimeError):
            pass

        class AcceleratorError(RuntimeError):
            pass

        self.assertEqual(classify(OutOfMemoryError("Allocation on device"), True).outcome, "oom")
        self.assertEqual(classify(AcceleratorError("CUDA error: out of memory"), True).outcome, "oom")
        lost = classify(AcceleratorError("CUDA error: device-side assert triggered"), True)
        self.assertTrue(lost.sticky)
        self.assertFalse(is_of_memory(AcceleratorError("CUDA error: misaligned address")))

    def test_are_read_as_our_worker_reads_them(self):
        ours = (Path(__file__).parents[2] / "core/network/failure.cpp").read_text()
        causes = {
            "lost process": "LostProcess",
            "device memory": "DeviceMemory",
            "host memory": "HostMemory",
            "input": "Input",
        }
        others = {"unable to allocate", "oom when allocating"}
        known = re.findall(r'Sign\{"([^"]+)", Cause::(\w+)\}', ours)
        read = [(sign, causes[cause]) for sign, cause in failures._SIGNS if sign not in others]
        # The order must be the same, since the first one decides.
        self.assertEqual(read, [sign for sign in known if sign in read])
        # Only signs of a wrong input are missing in Python, whose exceptions have types for it.
        self.assertEqual({sign for sign in known if sign not in read and sign[1] != "Input"}, set())

    def test_tell_what_was_asked_for(self):
        self.assertEqual(requested_bytes("Tried to allocate 2.50 GiB."), 5 << 29)
        self.assertEqual(requested_bytes("you tried to allocate 4096 bytes."), 4096)
        self.assertEqual(requested_bytes("tried to allocate 1.2.3 GiB"), 0)
        self.assertEqual(requested_bytes("nothing"), 0)


class StatisticsTest(unittest.TestCase):
    def test_as_our_worker_has_them(self):
        self.assertEqual(typical_seconds([1.0, 5.0, 1.2]), 1.2)
        self.assertIsNone(typical_seconds([]))
        self.assertIsNone(typical_seconds([1.0, 0.0]))
        self.assertIsNone(relative_standard_error([1.0, 1.0]))
        self.assertEqual(relative_standard_error([1.0, 1.0, 1.0]), 0.0)
        self.assertGreater(relative_standard_error([1.0, 1.1, 1.2, 1.3]), 0.02)
        self.assertFalse(is_warm([1.0], 60))
        self.assertTrue(is_warm([9.0, 1.0, 1.01], 600))
        self.assertFalse(is_warm([9.0, 0.5, 0.6], 600))
        self.assertFalse(is_warm([9.0, 1.9], 600))
        self.assertTrue(is_warm([0.5, 2.0], 600))
        self.assertTrue(is_warm([9.0, 9.0], 60))

    def test_learn_from_trials_of_one_size(self):
        scatter = RunScatter()
        scatter.add(8, 1.0)
        self.assertEqual(scatter.relative_deviation(), 0.0)
        scatter.add(8, 1.1)
        self.assertGreater(scatter.relative_deviation(), 0.03)


class _Event:
    """A CUDA event with a clock that advances by a millisecond at each mark."""

    now = 0

    def __init__(self, enable_timing: bool):
        assert enable_timing

    def record(self) -> None:
        _Event.now += 1
        self.at = _Event.now

    def elapsed_time(self, other) -> float:
        return float(other.at - self.at)


class CudaDeviceTest(unittest.TestCase):
    def setUp(self):
        self.waits, self.fractions = [], []
        self.cuda = types.SimpleNamespace(
            Event=_Event,
            synchronize=lambda: self.waits.append(1),
            mem_get_info=lambda: (60, 100),
            memory_reserved=lambda: 10,
            memory_allocated=lambda: 8,
            set_per_process_memory_fraction=self.fractions.append,
            current_device=lambda: 0,
            get_device_properties=lambda _index: types.SimpleNamespace(uuid="1"),
        )
        self.device = CudaDevice(types.SimpleNamespace(cuda=self.cuda))

    def test_keeps_a_limit(self):
        self.assertEqual(self.device.limit(50), 50)
        self.assertEqual(self.device.limit(0), 70)
        self.assertEqual(self.device.limit(500), 70)
        self.assertEqual(self.fractions, [0.51, 0.71, 0.71])

    def test_takes_what_the_computer_has_left_where_its_memory_is_the_gpus(self):
        mebibyte = 1 << 20
        self.cuda.mem_get_info = lambda: (60 * mebibyte, 4000 * mebibyte)
        self.cuda.memory_reserved = lambda: 0
        integrated = types.SimpleNamespace(uuid="1", is_integrated=1)
        for left, free in ((1300, 1000), (9000, 4000)):
            for properties, has_none in ((integrated, False), (types.SimpleNamespace(uuid="1"), True)):
                self.cuda.get_device_properties = lambda _index, properties=properties: properties
                self.device = CudaDevice(types.SimpleNamespace(cuda=self.cuda))
                self.device._nvml = types.SimpleNamespace(
                    has_no_memory=lambda uuid, has_none=has_none: has_none and uuid == "GPU-1"
                )
                with mock.patch.object(host_memory, "host_memory", lambda: (16000 * mebibyte, left * mebibyte)):
                    self.assertEqual(self.device.limit(0), free * mebibyte)

    def test_tells_what_the_program_itself_takes_of_the_memory(self):
        free = [75]

        def touch(_index=0):
            free[0] = 60
            return types.SimpleNamespace(uuid="1")

        self.cuda.is_initialized = lambda: free[0] == 60
        self.cuda.current_device = lambda: 0
        self.cuda.get_device_properties = touch
        self.cuda.get_device_name = lambda: "a GPU"
        nvml = types.SimpleNamespace(
            free_bytes=lambda uuid: free[0] if uuid == "GPU-1" else None,
            has_no_memory=lambda uuid: False,
            uuid_of_only_device=lambda: "",
        )
        self.device._nvml = nvml
        with mock.patch.dict(os.environ, {"CUDA_VISIBLE_DEVICES": "GPU-1"}):
            self.assertEqual(self.device.describe()["context_bytes"], 15)
            # The second time, the context exists already, so its size is unknown.
            self.assertNotIn("context_bytes", self.device.describe())
        free[0] = 75
        with mock.patch.dict(os.environ, {"CUDA_VISIBLE_DEVICES": "0,1"}):
            self.assertNotIn("context_bytes", self.device.describe())
        free[0], nvml.uuid_of_only_device = 75, lambda: "GPU-1"
        with mock.patch.dict(os.environ, {"CUDA_VISIBLE_DEVICES": "0"}):
            self.assertEqual(self.device.describe()["context_bytes"], 15)

    def test_notices_lost_memory(self):
        self.assertFalse(self.device.has_lost(8))
        self.assertTrue(self.device.has_lost(7))

    def test_ends_where_memory_stays_lost(self):
        held = [8]
        self.cuda.memory_allocated = lambda: held[0]
        self.cuda.max_memory_allocated = self.cuda.max_memory_reserved = lambda: 90
        self.cuda.reset_peak_memory_stats = self.cuda.empty_cache = lambda: None
        self.cuda.memory_stats = dict
        self.device.gates = lambda others: []

        def step(size):
            # The first step allocates memory that libraries keep; the large one loses more.
            held[0] = max(held[0], 20)
            if size > 8:
                held[0] = 30 if size > 16 else 20
                raise RuntimeError("CUDA out of memory. Tried to allocate 64 bytes.")

        sent = []
        channel = types.SimpleNamespace(send=sent.append)
        inbox = types.SimpleNamespace(is_cancelled=lambda _: False)
        hooks = types.SimpleNamespace(
            prepare=None,
            recover=lambda _: None,
            reset_peaks=lambda _: None,
            peaks=lambda device: device.peaks(),
        )
        bench = Bench(step, self.device, hooks, channel, inbox)

        def answer(size):
            request = {"id": 1, "micro_batch_size": size, "time_limit": 60.0, "min_seconds": 0.0}
            return RunningTrial(request, bench).answer()

        self.assertEqual(answer(4)["outcome"], "ok")
        fits_not = answer(16)
        self.assertEqual((fits_not["outcome"], fits_not["peak_reserved_bytes"]), ("oom", 154))
        self.assertNotIn("last", fits_not)
        self.assertTrue(answer(32)["last"])

    def test_waits_once_a_chain(self):
        def step(_size):
            yield
            yield

        chain = Steps(step, self.device).run([4] * 3)
        self.assertEqual(len(self.waits), 2)
        self.assertEqual([(times.forward, times.backward) for times in chain.steps], [(0.001, 0.001)] * 3)
        self.assertEqual(chain.optimizer_seconds, 0.001)


if __name__ == "__main__":
    unittest.main()
