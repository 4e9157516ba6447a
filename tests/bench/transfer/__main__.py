# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks whether the size that batchpeak-worker finds is right with transformers, too.

    PYTHONPATH=tests python -m bench.transfer --batchpeak build/dev/bin/batchpeak resources/examples/*.yaml

batchpeak explores each config. Then the recommended size and others are visited alternately in the user's stack. The
regret is how much slower the recommended size is there than the fastest one. Nothing else should run."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

from .exploration import Explored, explore
from .regret import Lead, Regret, lead_of, regret_of
from .sweep import RunsNot, Sweep


# Largest acceptable regret: the mean over all configs, and of any config.
_MOST_IN_THE_MEAN, _MOST = 0.01, 0.03


@dataclass(frozen=True)
class Judged:
    explored: Explored
    regret: Regret
    leads: list[Lead]
    approximations: list[str]


def main() -> int:
    options = _options()
    shares = []
    print("%-24s %6s %5s %7s %7s  %s" % ("CONFIG", "SIZE", "CONF", "BEST", "REGRET", "LEADS"), flush=True)
    for config in options.configs:
        try:
            judged = _judge(options, config)
        except (RuntimeError, AssertionError) as problem:
            print("%-24s %s" % (Path(config).stem, problem), flush=True)
            # A size that does not run has a regret of 100 %.
            shares += [1.0] if isinstance(problem, RunsNot) else []
            continue
        shares.append(judged.regret.share)
        print(_line(config, judged), flush=True)
    if not shares:
        return 1
    mean, most = sum(shares) / len(shares), max(shares)
    is_met = mean <= _MOST_IN_THE_MEAN and most <= _MOST
    numbers = (len(shares), 100 * mean, 100 * _MOST_IN_THE_MEAN, 100 * most, 100 * _MOST)
    print("regret of %d: mean %.2f %% (at most %.0f %%), most %.2f %% (at most %.0f %%)" % numbers)
    return 0 if is_met else 1


def _judge(options, config: str) -> Judged:
    explored = explore(options.batchpeak, options.worker, config, options.device, options.explore_options)
    sweep = Sweep(options.python, options.device, explored.load, explored.size, explored.batch)
    try:
        sweep.run(options.seconds)
    finally:
        sweep.end()
    leads = [lead_of(size, values) for size, values in sorted(sweep.leads.items())]
    return Judged(explored, regret_of(sweep.leads), leads, sweep.approximations)


def _line(config: str, judged: Judged) -> str:
    leads = ", ".join(
        "%d: %+.1f ± %.1f" % (lead.size, 100 * lead.mean, 100 * lead.standard_error) for lead in judged.leads
    )
    explored, regret = judged.explored, judged.regret
    fields = (Path(config).stem, explored.size, explored.confidence, regret.best.size, 100 * regret.share, leads)
    line = "%-24s %6d %5d %7d %6.2f%%  %s" % fields
    return line + "".join("\n  approximate: " + phrase for phrase in judged.approximations)


def _options():
    parser = argparse.ArgumentParser(prog="transfer", description=__doc__.partition("\n")[0])
    parser.add_argument("--batchpeak", required=True, help="the program")
    parser.add_argument("--worker", help="batchpeak-worker; default: the one next to the program")
    parser.add_argument("--python", default=sys.executable, help="Python with torch and transformers; default: this")
    parser.add_argument("--device", default="cpu", help="cpu or cuda:0")
    parser.add_argument("--seconds", type=float, default=60.0, help="minimum time of each sweep")
    parser.add_argument("--explore", default="", help="options of the explorations, such as '--time-budget 60s'")
    parser.add_argument("configs", nargs="+")
    options = parser.parse_args()
    options.batchpeak = str(Path(options.batchpeak).resolve())
    options.worker = options.worker or str(Path(options.batchpeak).with_name("batchpeak-worker"))
    options.explore_options = options.explore.split()
    return options


if __name__ == "__main__":
    sys.exit(main())
