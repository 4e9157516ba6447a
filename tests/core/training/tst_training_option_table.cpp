// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training/training_option_table.h"

#include "options/option_table.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <algorithm>
#include <set>

using namespace batchpeak;
using test::row;
using test::rows;
using test::Text;
using training::TrainingOption;

/// Tests the parts of the table that the terminal's tests of each option do not cover.
class TrainingOptionTableTest : public QObject
{
    Q_OBJECT

private slots:
    void namesEachOptionOnce()
    {
        std::set<std::string> names;
        for (const TrainingOption& option : training::trainingOptionTable()) {
            QVERIFY2(names.insert(option.name).second, option.name.c_str());
            QVERIFY2(!option.help.empty() && option.take, option.name.c_str());
            QCOMPARE(&training::trainingOption(option.name), &option);
        }
        QVERIFY_EXCEPTION_THROWN(training::trainingOption("--no-such"), std::out_of_range);
    }

    void hasAllOptionsOfRuns()
    {
        for (const auto& option : engine::explorationOptions()) {
            const bool isOfRuns = option.subject == engine::ExplorationOption::Subject::Run;
            const bool isThere = std::ranges::any_of(training::trainingOptionTable(), [&](const auto& each) {
                return each.name == option.name && each.subject == TrainingOption::Subject::Run;
            });
            QVERIFY2(isThere == isOfRuns, option.name.c_str());
        }
        training::TrainingOptions options;
        training::trainingOption("--headroom").take(options, "8");
        QCOMPARE(options.run.headroom, 0.08);
    }

    void writesTheTextThatItHasRead_data()
    {
        rows<const char*, Text>({{"steps", {"--steps", "500"}},
                                 {"data", {"--data", "/proc/self"}},
                                 {"samples", {"--samples", "64"}},
                                 {"rate", {"--learning-rate", "0.0002"}},
                                 {"weights", {"--weight-by", "tokens"}},
                                 {"halving", {"--setting", "auto-halving"}},
                                 {"a size", {"--setting", "24"}},
                                 {"the whole batch", {"--setting", "null"}},
                                 {"maximum", {"--maximum", "predict"}},
                                 {"a switch", {"--exact", "on"}},
                                 {"growth", {"--grow", "epoch < 3 ? 8 : 0"}},
                                 {"a share", {"--eval-split", "5%"}},
                                 {"samples held out", {"--eval-split", "100"}},
                                 {"an interval", {"--checkpoint-every", "9"}},
                                 {"a folder", {"--resume", "/run"}},
                                 {"headroom", {"--headroom", "8"}},
                                 {"device", {"--device", "cuda:1"}}});
    }
    void writesTheTextThatItHasRead()
    {
        const auto& [name, text] = row<const char*, Text>();
        const TrainingOption& option = training::trainingOption(name);
        training::TrainingOptions options;
        QVERIFY(!option.isGiven(options));
        option.take(options, text.toStdString());
        QCOMPARE(option.texts(options), std::vector<std::string>{text.toStdString()});
        QVERIFY(option.isGiven(options));
        for (const TrainingOption& other : training::trainingOptionTable())
            QVERIFY2(&other == &option || !other.isGiven(options), other.name.c_str());
        option.clear(options);
        QVERIFY(!option.isGiven(options));
    }
};

BATCHPEAK_TEST(TrainingOptionTableTest)
#include "tst_training_option_table.moc"
