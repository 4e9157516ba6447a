// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/expected_trials.h"
#include "support/rows.h"
#include "support/small_config.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak;
using namespace batchpeak::engine;

namespace {

struct Case
{
    ExplorationOptions options;
    int least = 1;
    int most = 1;
};

} // namespace

class ExpectedTrialsTest : public QObject
{
    Q_OBJECT

private slots:
    void tellsBeforeAnyTrial_data()
    {
        rows<Case>(
            {{"one size", {.options = {.setting = config::Fixed{8}}}},
             {"a search", {.options = {}, .least = 3, .most = 64}},
             {"another way", {.options = {.strategy = QStringLiteral("ramp")}, .least = 3, .most = 64}},
             {"no more than allowed", {.options = {.maxTrials = 2}, .least = 2, .most = 2}}});
    }
    void tellsBeforeAnyTrial()
    {
        const auto& [options, least, most] = row<Case>();
        const auto plan = planExploration(QStringLiteral("c.yaml"), test::smallConfig(), options);
        const int expected = expectedTrials(plan, std::int64_t{1} << 30, 1);
        QVERIFY2(expected >= least && expected <= most, QByteArray::number(expected));
    }
};

BATCHPEAK_TEST(ExpectedTrialsTest)
#include "tst_expected_trials.moc"
