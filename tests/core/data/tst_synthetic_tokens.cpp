// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/token_source.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <algorithm>
#include <map>

using namespace batchpeak::data;

class SyntheticTokensTest : public QObject
{
    Q_OBJECT

private slots:
    void followsARule_data()
    {
        rows<std::int64_t>({{"one token", 1}, {"tiny", 67}, {"GPT-2", 50257}, {"large", 250880}});
    }
    // Seven of eight tokens follow the same rule. The eighth is random, but may match the rule by chance.
    void followsARule()
    {
        const auto& vocabulary = row<std::int64_t>();
        const auto source = syntheticTokens({.length = 200, .vocabularySize = vocabulary}, 100, 5);
        std::map<std::int64_t, std::map<std::int64_t, int>> followers;
        for (std::int64_t sample = 0; sample < source->samples(); ++sample) {
            const std::vector<std::int64_t> tokens = source->row(sample);
            QCOMPARE(tokens.size(), std::size_t{200});
            for (std::size_t i = 0; i < tokens.size(); ++i) {
                QVERIFY(tokens[i] >= 0 && tokens[i] < vocabulary);
                if (i > 0)
                    ++followers[tokens[i - 1]][tokens[i]];
            }
        }
        int all = 0;
        int mostFrequent = 0;
        for (const auto& [token, counts] : followers) {
            int max = 0;
            for (const auto& [next, count] : counts) {
                all += count;
                max = std::max(max, count);
            }
            mostFrequent += max;
        }
        const double share = static_cast<double>(mostFrequent) / all;
        QVERIFY2(share > 0.85, qPrintable(QString::number(share)));
        QVERIFY2(vocabulary == 1 || share < 0.92, qPrintable(QString::number(share)));
    }

    void spreadsOverALargeVocabulary()
    {
        const auto source = syntheticTokens({.length = 1000, .vocabularySize = 50257}, 8, 5);
        const std::vector<std::int64_t> tokens = source->row(0);
        QVERIFY(*std::ranges::max_element(tokens) > 40000);
    }

    void dependsOnlyOnSeedAndNumber()
    {
        const TokenShape shape{.length = 50, .vocabularySize = 67};
        const auto source = syntheticTokens(shape, 10, 5);
        const std::vector<std::int64_t> third = source->row(3);
        QVERIFY(source->row(4) != third);
        QVERIFY(source->row(3) == third);
        // A larger number of samples only appends samples.
        QVERIFY(syntheticTokens(shape, 1000, 5)->row(3) == third);
        QVERIFY(syntheticTokens(shape, 10, 6)->row(3) != third);
    }

    void refusesZeroSamples()
    {
        QVERIFY_THROWS_EXCEPTION(DataError, syntheticTokens({.length = 5, .vocabularySize = 5}, 0, 1));
    }
};

BATCHPEAK_TEST(SyntheticTokensTest)
#include "tst_synthetic_tokens.moc"
