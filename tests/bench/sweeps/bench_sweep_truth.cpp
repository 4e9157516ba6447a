// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Checks that the intervals derived from the visits of a sweep contain the truth as often as they state, on
// synthetic sweeps whose truth is known:
//     batchpeak-bench-sweep-truth [SWEEPS]
// Exits with 1 if a figure is out of bounds, which hold for 200 sweeps or more.

#include "sweep_study.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

struct World
{
    const char* name;
    const char* word;
};

constexpr World worlds[] = {{"run noise", ""},
                            {"two-speed", "two-speed"},
                            {"bursts", "bursts"},
                            {"trial noise", "trial noise"},
                            {"replayed", "replayed"}};

bool isHonest(const SweepStudy& study)
{
    return study.ratiosWithin > 0.87 && study.ratiosWithin < 0.96 && study.speedsWithin > 0.80 &&
           study.speedsWithin < 0.97 && std::abs(study.perfectShare - study.perfectRight) < 0.03;
}

} // namespace

int main(int argc, char** argv)
{
    constexpr int defaultSweeps = 200;
    const int sweeps = argc > 1 ? std::atoi(argv[1]) : defaultSweeps;
    if (argc > 2 || sweeps < 1) {
        std::fprintf(stderr, "usage: %s [SWEEPS]\n", argv[0]);
        return 2;
    }
    bool areHonest = true;
    std::printf("intervals of 90 %% that hold the truth, and the perfect forecaster, of %d sweeps\n", sweeps);
    std::printf("%-12s %8s %8s %8s %8s\n", "world", "speeds", "ratios", "stated", "right");
    for (const World& world : worlds) {
        const SweepStudy study = studySweeps(world.word, sweeps);
        areHonest = areHonest && isHonest(study);
        std::printf("%-12s %6.1f %% %6.1f %% %6.1f %% %6.1f %%%s\n", world.name, 100.0 * study.speedsWithin,
                    100.0 * study.ratiosWithin, 100.0 * study.perfectShare, 100.0 * study.perfectRight,
                    isHonest(study) ? "" : "  out of bounds");
        std::fflush(stdout);
    }
    return areHonest ? EXIT_SUCCESS : EXIT_FAILURE;
}
