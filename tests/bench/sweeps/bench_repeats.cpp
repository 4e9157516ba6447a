// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Repeats trials of a few sizes, interleaved, and prints how often two of the same size agree within the
// errors that they state, which should be in 95 % of cases:
//     batchpeak-bench-repeats CONFIG --sizes 1,2,4,8 --repetitions 20
// Nothing else should run on the computer meanwhile.

#include "repeat_agreement.h"
#include "sweep_command.h"

#include <QCoreApplication>

#include <algorithm>
#include <cstdio>

using namespace batchpeak;

namespace {

std::vector<std::int64_t> sizesFrom(const QString& text)
{
    std::vector<std::int64_t> sizes;
    for (const QString& word : text.split(QLatin1Char(',')))
        sizes.push_back(word.toLongLong());
    std::ranges::sort(sizes);
    return sizes;
}

int printAgreement(const Sweep& sweep)
{
    std::vector<trial::TrialResult> trials;
    for (const Sweep::Row& row : sweep.rows)
        trials.push_back(row.result);
    std::printf("%8s %8s %8s %10s %14s %16s\n", "size", "trials", "pairs", "agree", "stated error",
                "observed spread");
    int pairs = 0;
    int pairsThatAgree = 0;
    int used = 0;
    for (const auto& [size, agreement] : agreementBySize(trials)) {
        std::printf("%8lld %8d %8d %8.1f %% %12.2f %% %14.2f %%\n", static_cast<long long>(size),
                    agreement.trials, agreement.pairs, 100 * agreement.share(), 100 * agreement.statedError,
                    100 * agreement.observedSpread);
        pairs += agreement.pairs;
        pairsThatAgree += agreement.pairsThatAgree;
        used += agreement.trials;
    }
    if (pairs == 0)
        return 1;
    std::printf("all: %.1f %% of %d pairs agree; %d of %zu trials were left out as disturbed or failed\n",
                100.0 * pairsThatAgree / pairs, pairs, static_cast<int>(trials.size()) - used, trials.size());
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    QCoreApplication app(argc, argv);
    SweepCommand command;
    QCommandLineParser& parser = command.parser();
    parser.addOption({QStringLiteral("sizes"), QStringLiteral("micro-batch sizes"), QStringLiteral("N,N"),
                      QStringLiteral("1,2,4,8,16")});
    parser.addOption({QStringLiteral("repetitions"), QStringLiteral("trials of each"), QStringLiteral("N"),
                      QStringLiteral("12")});
    parser.process(app);
    if (parser.positionalArguments().size() != 1)
        parser.showHelp(1);
    const auto sweep = command.run(sizesFrom(parser.value(QStringLiteral("sizes"))),
                                   parser.value(QStringLiteral("repetitions")).toInt());
    return sweep ? printAgreement(*sweep) : 1;
}
