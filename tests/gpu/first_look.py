# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks our worker on a new type of GPU in ten minutes; the most informative parts come first.

It talks to batchpeak-worker over the trial protocol, runs the same network in PyTorch if python3 has it, and runs the
programs of the GPU suite. Each part writes a file into the folder of the results, and a few lines into summary.txt
there. If a part fails, it reports that, and the next part begins. It needs only python3.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path

MEBIBYTE = 1 << 20
# GPT-2 small: it uses every part of our decoder, and its speed is well known.
LAYERS, WIDTH, HEADS, VOCABULARY, LENGTH = 12, 768, 12, 50257, 1024
GPT2 = {
    "family": "gpt2",
    "vocabulary_size": VOCABULARY,
    "hidden_size": WIDTH,
    "layers": LAYERS,
    "heads": HEADS,
    "key_value_heads": HEADS,
    "feed_forward_size": 4 * WIDTH,
    "max_positions": LENGTH,
    "position_embedding": "learned",
    "normalization": "layernorm",
    "activation": "gelu_tanh",
    "tied_embeddings": True,
}
TINY = GPT2 | {"vocabulary_size": 512, "hidden_size": 64, "layers": 2, "heads": 4, "key_value_heads": 4,
               "feed_forward_size": 128, "max_positions": 64}
SIZES = (1, 4, 16, 32)


class Worker:
    """One batchpeak-worker, with a log of all messages."""

    def __init__(self, program: Path, log: Path):
        self._log = log.open("a")
        self.process = subprocess.Popen([program, "--device", "cuda"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self._log, text=True)
        self.hello = self.ask({"type": "hello", "protocol": 2}, "hello")

    def ask(self, message: dict, answer: str) -> dict:
        line = json.dumps(message)
        self._log.write(f"> {line}\n")
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        for said in self.process.stdout:
            self._log.write(said)
            heard = json.loads(said)
            if heard["type"] == "error":
                raise RuntimeError(f"the worker says: {heard['text']}")
            if heard["type"] == answer:
                return heard
        raise RuntimeError(f"the worker ended with {self.process.wait()} and no {answer}")

    def load(self, model: dict, limit: int = 0, precision: str = "bf16") -> dict:
        return self.ask({"type": "load", "model": model, "phase": "train", "precision": precision,
                         "sequence_length": model["max_positions"], "optimizer": "adamw",
                         "memory_limit_bytes": limit, "seed": 1}, "loaded")

    def trial(self, number: int, size: int, steps: int = 10) -> dict:
        return self.ask({"type": "trial", "id": number, "micro_batch_size": size, "min_steps": steps,
                         "max_steps": steps, "min_seconds": 0.0, "time_limit": 120.0, "abandon_above": 0.0},
                        "result")

    def end(self) -> int:
        self.process.stdin.close()
        return self.process.wait()


class Look:
    def __init__(self, suite: Path, results: Path, model: dict):
        self.suite = suite
        self.results = results
        self.model = model
        self.failed = False
        self._summary = (results / "summary.txt").open("w")

    def say(self, line: str = "") -> None:
        print(line, flush=True)
        self._summary.write(line + "\n")
        self._summary.flush()

    def run(self, title: str, part) -> None:
        self.say(f"== {title}")
        begin = time.monotonic()
        try:
            part()
        except Exception as error:
            self.failed = True
            self.say(f"FAILED: {error}")
            with (self.results / "failures.txt").open("a") as file:
                file.write(f"{title}\n{traceback.format_exc()}\n")
        self.say(f"   {time.monotonic() - begin:.1f} s")

    def worker(self, part: str) -> Worker:
        return Worker(self.suite / "batchpeak-worker", self.results / f"{part}.txt")

    def environment(self) -> None:
        for command in (["nvidia-smi"], ["nvidia-smi", "-q"], ["nvidia-smi", "-L"]):
            text = output_of(command)
            with (self.results / "environment.txt").open("a") as file:
                file.write(f"$ {' '.join(command)}\n{text}\n")
        query = "name,driver_version,memory.total,memory.used,clocks.max.sm,power.limit,mig.mode.current"
        self.say(output_of(["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"]).strip())
        for name in ("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "PYTORCH_CUDA_ALLOC_CONF",
                     "PYTORCH_ALLOC_CONF", "SLURM_JOB_GPUS"):
            if name in os.environ:
                self.say(f"{name}={os.environ[name]}")
        self.say(output_of([sys.executable, "-c",
                            "import torch; print('torch', torch.__version__, torch.cuda.device_count(), 'devices')"]
                           ).strip().splitlines()[-1])

    def hello(self) -> None:
        begin = time.monotonic()
        worker = self.worker("hello")
        self.say(f"said hello after {time.monotonic() - begin:.1f} s: {json.dumps(worker.hello['device'])}")
        worker.end()

    def fraction(self) -> None:
        worker = self.worker("fraction")
        total = worker.hello["device"]["total_bytes"]
        for limit in (total // 4, total // 8, total // 2):
            loaded = worker.load(TINY, limit)
            self.say(f"asked for {limit // MEBIBYTE} MiB: limit {loaded['limit_bytes'] // MEBIBYTE} MiB, "
                     f"baseline {loaded['baseline_bytes'] // MEBIBYTE} MiB")
        worker.end()

    def gates(self) -> None:
        worker = self.worker("gates")
        worker.load(self.model)
        result = worker.trial(1, 4, 40)
        names = ("clock_megahertz", "temperature_celsius", "mean_power_watts", "energy_joules",
                 "processor_share", "foreign_processors")
        self.say(", ".join(f"{name} {result[name]}" for name in names if name in result))
        self.say(f"flags: {result.get('flags')}")
        worker.end()

    def suite_part(self, name: str) -> None:
        run = subprocess.run([self.suite / "run-gpu-suite.sh", name], capture_output=True, text=True)
        (self.results / f"{name}.txt").write_text(run.stdout + run.stderr)
        for line in run.stdout.splitlines():
            self.say(line)
        self.failed |= run.returncode != 0

    def side_by_side(self) -> None:
        clocks = log_clocks(self.results / "clocks.csv")
        try:
            ours = self._ours()
            theirs = their_seconds(self.model, self.results / "pytorch.txt")
        finally:
            if clocks:
                clocks.terminate()
        self.say(f"{'size':>6} {'ours':>10} {'PyTorch':>10}  ratio   ours reserved  PyTorch reserved")
        for size, (seconds, reserved) in ours.items():
            line = f"{size:>6} {1e3 * seconds:>7.2f} ms"
            if size in theirs:
                rival, held = theirs[size]
                line += f" {1e3 * rival:>7.2f} ms  {seconds / rival:.3f}"
                line += f"   {reserved // MEBIBYTE:>9} MiB  {held // MEBIBYTE:>12} MiB"
            else:
                line += f"{'':>19}   {reserved // MEBIBYTE:>9} MiB"
            self.say(line)
        if not theirs:
            self.say("PyTorch's side is missing: pytorch.txt says why")

    def _ours(self) -> dict[int, tuple[float, int]]:
        worker = self.worker("side-by-side")
        worker.load(self.model)
        ours = {}
        for number, size in enumerate(SIZES, 1):
            result = worker.trial(number, size, 20)
            if result["outcome"] != "ok":
                self.say(f"{size}: {result['outcome']} {result.get('text', '')}")
                break
            if number == 1:
                self.say(f"attention by {result.get('attention')}")
            ours[size] = (result["seconds_per_step"] + result["optimizer_seconds"],
                          result["peak_reserved_bytes"])
        worker.end()
        return ours

    def first_out_of_memory(self) -> None:
        worker = self.worker("out-of-memory")
        limit = min(8 << 30, worker.hello["device"]["free_bytes"] // 2)
        worker.load(self.model, limit)
        size, number = 1, 0
        while number < 20:
            number += 1
            result = worker.trial(number, size, 3)
            self.say(f"{size}: {result['outcome']}, reserved {result['peak_reserved_bytes'] // MEBIBYTE} MiB, "
                     f"{result.get('alloc_retries', 0)} flushes, {result['wall_seconds']:.1f} s "
                     f"{result.get('text', '')[:200]}")
            if result["outcome"] != "ok":
                break
            size *= 2
        result = worker.trial(number + 1, 1, 3)
        self.say(f"then 1: {result['outcome']}; exit code {worker.end()}")

    def memory_after_a_kill(self) -> None:
        before = used_bytes()
        worker = self.worker("kill")
        worker.load(self.model)
        worker.trial(1, 4, 3)
        held = used_bytes()
        worker.process.send_signal(signal.SIGKILL)
        begin = time.monotonic()
        worker.process.wait()
        if before is None or held is None:
            self.say(f"it was gone after {time.monotonic() - begin:.2f} s; nvidia-smi tells no memory")
            return
        while used_bytes() > before + 64 * MEBIBYTE and time.monotonic() - begin < 30:
            time.sleep(0.05)
        self.say(f"{(held - before) // MEBIBYTE} MiB held; back {time.monotonic() - begin:.2f} s after SIGKILL")


def output_of(command: list) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=120).stdout or "(nothing)"
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"({error})"


def used_bytes() -> int | None:
    text = output_of(["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits", "-i", "0"])
    try:
        return int(text.split()[0]) * MEBIBYTE
    except ValueError:
        return None


def log_clocks(file: Path) -> subprocess.Popen | None:
    query = "timestamp,clocks.sm,power.draw,temperature.gpu,clocks_event_reasons.active"
    try:
        return subprocess.Popen(["nvidia-smi", f"--query-gpu={query}", "--format=csv", "-lms", "200"],
                                stdout=file.open("w"), stderr=subprocess.DEVNULL)
    except OSError:
        return None


# A training step as people write it: eager, autocast, fused AdamW. As with gradient accumulation, the optimizer runs
# after all steps.
THEIR_PROGRAM = """
import json, sys, time
import torch
from torch import nn
from torch.nn import functional as F

model = json.loads(sys.argv[1])
width, heads, length = model["hidden_size"], model["heads"], model["max_positions"]

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
    def forward(self, x):
        n, t, _ = x.shape
        q, k, v = (p.view(n, t, heads, -1).transpose(1, 2) for p in self.qkv(self.ln1(x)).chunk(3, -1))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(a.transpose(1, 2).reshape(n, t, width))
        return x + self.down(F.gelu(self.up(self.ln2(x)), approximate="tanh"))

class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(model["vocabulary_size"], width)
        self.positions = nn.Embedding(length, width)
        self.blocks = nn.Sequential(*(Block() for _ in range(model["layers"])))
        self.norm = nn.LayerNorm(width)
    def forward(self, ids):
        x = self.norm(self.blocks(self.tokens(ids) + self.positions.weight))
        logits = F.linear(x, self.tokens.weight)
        return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())

gpt = Gpt().cuda()
optimizer = torch.optim.AdamW(gpt.parameters(), lr=3e-4, fused=True)

def step(ids):
    with torch.autocast("cuda", torch.bfloat16):
        loss = gpt(ids)
    loss.backward()

for size in json.loads(sys.argv[2]):
    ids = torch.randint(model["vocabulary_size"], (size, length), device="cuda")
    for _ in range(3):
        step(ids)
        optimizer.step()
        optimizer.zero_grad()
    torch.cuda.reset_peak_memory_stats()
    events = [torch.cuda.Event(enable_timing=True) for _ in range(22)]
    torch.cuda.synchronize()
    events[0].record()
    for event in events[1:21]:
        step(ids)
        event.record()
    optimizer.step()
    optimizer.zero_grad()
    events[21].record()
    torch.cuda.synchronize()
    times = sorted(a.elapsed_time(b) / 1e3 for a, b in zip(events[:20], events[1:21]))
    seconds = times[10] + events[20].elapsed_time(events[21]) / 1e3
    print(json.dumps([size, seconds, torch.cuda.max_memory_reserved()]), flush=True)
"""


def their_seconds(model: dict, log: Path) -> dict[int, tuple[float, int]]:
    """Runs their program in a separate process, since torch may be missing, and to free its memory afterward."""
    run = subprocess.run([sys.executable, "-c", THEIR_PROGRAM, json.dumps(model), json.dumps(SIZES)],
                         capture_output=True, text=True)
    log.write_text(run.stdout + run.stderr)
    rows = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("[")]
    return {size: (seconds, reserved) for size, seconds, reserved in rows}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suite", type=Path, required=True, help="folder of the GPU suite")
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--tiny", action="store_true", help="use a network of two layers, to test the programs")
    parser.add_argument("--without-suite", action="store_true", help="leave out the programs of the suite")
    options = parser.parse_args()
    options.results.mkdir(parents=True, exist_ok=True)
    look = Look(options.suite, options.results, TINY if options.tiny else GPT2)
    look.run("environment", look.environment)
    look.run("hello", look.hello)
    look.run("limit of memory", look.fraction)
    look.run("gates", look.gates)
    if not options.without_suite:
        look.run("failures", lambda: look.suite_part("tst_gpu_failures"))
        look.run("timing by events", lambda: look.suite_part("tst_gpu_timing"))
    look.run("one network beside PyTorch", look.side_by_side)
    look.run("first out of memory", look.first_out_of_memory)
    look.run("memory after a kill", look.memory_after_a_kill)
    rest = ("fraction", "worker", "memory", "steps", "training", "gates")
    for name in () if options.without_suite else rest:
        look.run(f"the suite: {name}", lambda name=name: look.suite_part(f"tst_gpu_{name}"))
    look.say(f"All output is in {options.results}.")
    return 1 if look.failed else 0


if __name__ == "__main__":
    sys.exit(main())
