// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Keeps one core busy in bursts until it is killed, like another tenant of a shared computer:
//     batchpeak-disturb [MEAN_BURST_SECONDS MEAN_PAUSE_SECONDS [SEED]]

#include "search/random_source.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <thread>

namespace {

using Seconds = std::chrono::duration<double>;
using Clock = std::chrono::steady_clock;

void keepBusy(Seconds duration)
{
    const auto end = Clock::now() + duration;
    volatile double product = 1.0;
    while (Clock::now() < end) {
        for (int i = 0; i < 10000; ++i)
            product = product * 1.0000001 + 1e-9;
    }
}

} // namespace

int main(int argc, char** argv)
{
    const std::span<char*> words(argv, static_cast<std::size_t>(argc));
    const auto number = [&](std::size_t place, double defaultValue) {
        return words.size() > place ? std::strtod(words[place], nullptr) : defaultValue;
    };
    // Same as in the recorded sweeps with bursts.
    const double burst = number(1, 2.5);
    const double pause = number(2, 6.0);
    if (burst <= 0.0 || pause <= 0.0) {
        std::fputs("Both means are seconds above 0: batchpeak-disturb 2.5 6\n", stderr);
        return 1;
    }
    batchpeak::search::RandomSource random(static_cast<std::uint64_t>(number(3, 1.0)));
    const auto exponential = [&](double mean) { return Seconds(-mean * std::log(1.0 - random.uniform())); };
    while (true) {
        std::this_thread::sleep_for(exponential(pause));
        keepBusy(exponential(burst));
    }
}
