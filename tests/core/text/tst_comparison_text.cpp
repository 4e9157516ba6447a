// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"
#include "text/comparison_text.h"

#include <QTest>

#include <vector>

using namespace batchpeak;
using namespace batchpeak::engine;
using trial::Outcome;

namespace {

trial::TrialRecord comparison(std::optional<Outcome> outcome, std::int64_t endedBy = 0)
{
    return {.number = 9,
            .device = "cpu",
            .microBatchSize = endedBy,
            .compared = {{.microBatchSize = 24, .visits = {{0, 99}, {3, 101}, {4, 99}, {7, 101}}},
                         {.microBatchSize = 28, .visits = {{1, 101}, {2, 101.6}, {5, 101}, {6, 101.6}}}},
            .visits = 4,
            .outcome = outcome};
}

} // namespace

class ComparisonTextTest : public QObject
{
    Q_OBJECT

private slots:
    void listsSizes_data()
    {
        rows<std::vector<std::int64_t>, Text>({{"one", {{8}, "8"}},
                                               {"two", {{8, 16}, "8 and 16"}},
                                               {"four", {{24, 28, 32, 1024}, "24, 28, 32 and 1,024"}}});
    }
    void listsSizes()
    {
        const auto& [sizes, text] = row<std::vector<std::int64_t>, Text>();
        QCOMPARE(sizesText(sizes, QLocale(QLocale::English)), text);
    }

    void describesTheContrast_data()
    {
        rows<trial::Contrast, Text>(
            {{"clear", {{28, 24, 0.0129, 0.0041}, "28 is 1.3 % ± 0.4 faster than 24"}},
             {"fine", {{28, 24, 0.00204, 0.00012}, "28 is 0.20 % ± 0.01 faster than 24"}},
             {"without an error", {{28, 24, 0.0129, {}}, "28 is 1.3 % faster than 24"}},
             {"within the error", {{28, 24, 0.0021, 0.0041}, "28 and 24 cannot be told apart (0.2 % ± 0.4)"}},
             {"the same", {{28, 24, 0.0, 0.0}, "28 and 24 cannot be told apart (0.0 % ± 0.0)"}}});
    }
    void describesTheContrast()
    {
        const auto& [contrast, text] = row<trial::Contrast, Text>();
        QCOMPARE(contrastText(contrast, QLocale::c()), text);
    }

    void describesTheOutcome_data()
    {
        trial::TrialRecord thrashing = comparison(Outcome::Ok);
        thrashing.thrashes = true;
        rows<trial::TrialRecord, Text>(
            {{"runs", {comparison({}), "comparing 24 and 28"}},
             {"ran",
              {comparison(Outcome::Ok),
               "compared 24 and 28 in 4 visits each: 28 is 1.3 % ± 0.0 faster than 24"}},
             {"ended by a size", {comparison(Outcome::OutOfMemory, 28), "comparing 24 and 28 ended at 28"}},
             {"out of time", {comparison(Outcome::Timeout), "comparison of 24 and 28 discarded"}},
             {"thrashed", {thrashing, "comparison of 24 and 28 discarded"}}});
    }
    void describesTheOutcome()
    {
        const auto& [trial, text] = row<trial::TrialRecord, Text>();
        QCOMPARE(comparedText(trial, QLocale::c()), text);
    }
};

BATCHPEAK_TEST(ComparisonTextTest)
#include "tst_comparison_text.moc"
