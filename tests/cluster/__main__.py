# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests explorations on real servers, sshd and Slurm, which run in namespaces of their own:

    PYTHONPATH=tests python3 -m cluster --programs build/dev [-k PATTERN]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import unittest
from pathlib import Path

from . import bench, cases, namespaces, servers
from .desk import Programs, processes

SKIPPED = 77


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m cluster", description=__doc__)
    parser.add_argument("--programs", required=True, help="build folder")
    parser.add_argument("-k", dest="patterns", action="append", help="only tests whose names contain this")
    parser.add_argument("--repeat", type=int, default=1, help="run the tests so many times")
    parser.add_argument("--bench", type=int, default=0, metavar="N", help="measure in N rounds, and test nothing")
    options = parser.parse_args()
    if why := namespaces.obstacle():
        return _skip(why)
    if missing := servers.missing_programs():
        return _skip("these programs are missing: %s" % ", ".join(missing))
    namespaces.enter()
    build = Path(options.programs).resolve()
    programs = Programs(str(build / "bin" / "batchpeak"), str(build / "tests" / "batchpeak-fake-worker"))
    with tempfile.TemporaryDirectory(prefix="batchpeak-cluster-") as folder:
        return _run(programs, Path(folder), options)


def _skip(why: str) -> int:
    print("skipped: %s" % why)
    return SKIPPED


def _run(programs: Programs, folder: Path, options) -> int:
    computers = namespaces.Computers(["n1", "n2"], folder)
    computers.start()
    cluster = servers.Servers(computers, folder, gpus=2)
    before = set(processes(""))
    try:
        cluster.start()
        cases.cluster, cases.programs, cases.folder = cluster, programs, folder
        if options.bench:
            bench.run(programs, options.bench)
        loader = unittest.TestLoader()
        loader.testNamePatterns = ["*%s*" % pattern for pattern in options.patterns or []] or None
        passed = True
        for _ in range(0 if options.bench else options.repeat):
            tests = loader.discover(str(Path(__file__).parent), top_level_dir=str(Path(__file__).parents[1]))
            passed = unittest.TextTestRunner(verbosity=2, failfast=options.repeat > 1).run(tests).wasSuccessful() and passed
            if not passed:
                break
    finally:
        cluster.stop()
    left = [words for words in processes("") if words not in before]
    computers.stop()
    if left:
        print("left behind: %s" % "; ".join(left))
    return 0 if passed and not left else 1


if __name__ == "__main__":
    sys.exit(main())
