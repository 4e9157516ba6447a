// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "generated_config.h"
#include "support/test_main.h"
#include "yaml_difference.h"

#include <QTest>

#include <algorithm>
#include <cstdio>
#include <set>

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

constexpr std::uint64_t seeds = 10'000;

/// Prints the whole config, as Qt Test truncates long texts.
void print(std::uint64_t seed, const GeneratedConfig& config, const std::string& problem)
{
    std::fprintf(stderr, "Seed %llu, size %lld: %s\n--- before:\n%s\n--- to be:\n%s\n",
                 static_cast<unsigned long long>(seed), static_cast<long long>(config.chosen.microBatchSize),
                 problem.c_str(), config.before.c_str(), config.after.c_str());
}

bool isSizePath(const std::string& path)
{
    return path.ends_with("micro_batch_size");
}

/// Whether the key ends with a number. A filler may be an alias of the size.
bool isFillerPath(const std::string& path)
{
    const std::size_t mark = path.find_last_of('_');
    return mark != std::string::npos && mark + 1 < path.size() &&
           path.find_first_not_of("0123456789", mark + 1) == std::string::npos;
}

/// Replaces lone carriage returns, which yaml-cpp does not treat as line ends.
std::string withNewlines(std::string text)
{
    if (text.find('\n') == std::string::npos)
        std::ranges::replace(text, '\r', '\n');
    return text;
}

/// Returns the problem with writing a size into a generated config; empty if there is none.
std::string problemOfWriting(const GeneratedConfig& config)
{
    try {
        const auto format = recognize(config.before);
        if (format->name() != config.formatName)
            return "It is taken for " + std::string(format->name());
        const auto plan = format->read().plan(config.chosen.phase);
        if (!plan || plan->globalBatchSize != config.globalBatchSize)
            return "Its batch is read as " + std::to_string(plan ? plan->globalBatchSize : 0);
        const std::string after = format->withMicroBatchSize(config.chosen).text;
        return after == config.after ? "" : "What was written is\n" + after;
    } catch (const std::exception& error) {
        return error.what();
    }
}

} // namespace

/// Tests that a size is written into generated configs of every layout exactly as the generator predicts.
class GeneratedConfigsTest : public QObject
{
    Q_OBJECT

private slots:
    void areWrittenAsExpected()
    {
        std::set<std::string> formats;
        for (std::uint64_t seed = 0; seed < seeds; ++seed) {
            const GeneratedConfig config = generatedConfig(seed);
            const std::string problem = problemOfWriting(config);
            if (!problem.empty())
                print(seed, config, problem);
            QVERIFY2(problem.empty(), "the text is printed above");
            formats.insert(config.formatName);
        }
        QVERIFY(formats.size() >= 3);
    }

    // Compares the readings of yaml-cpp, which shares no code with our reader. It does not support comments
    // in JSON.
    void differOnlyInTheSizeForYamlCpp()
    {
        int compared = 0;
        for (std::uint64_t seed = 0; seed < seeds; ++seed) {
            const GeneratedConfig config = generatedConfig(seed);
            if (config.before.find("// a comment") != std::string::npos)
                continue;
            const auto changed = changedPaths(withNewlines(config.before), withNewlines(config.after));
            if (!changed)
                continue;
            ++compared;
            const bool isRight = std::ranges::count_if(*changed, isSizePath) == 1 &&
                                 std::ranges::all_of(*changed, [](const std::string& path) {
                                     return isSizePath(path) || isFillerPath(path);
                                 });
            if (!isRight)
                print(seed, config, "Others read it otherwise in several places.");
            QVERIFY2(isRight, "the text is printed above");
        }
        QVERIFY2(compared > int(seeds) * 8 / 10, qPrintable(QString::number(compared)));
    }
};

BATCHPEAK_TEST(GeneratedConfigsTest)
#include "tst_generated_configs.moc"
