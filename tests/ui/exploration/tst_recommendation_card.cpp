// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration/recommendation_card.h"
#include "sample_snapshots.h"
#include "sample_windows.h"
#include "snapshot/unlike_devices.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QLabel>
#include <QTest>

#include <algorithm>
#include <string>

using namespace batchpeak;
using namespace batchpeak::ui;

namespace {

std::string warnings(const engine::Snapshot& snapshot)
{
    test::SampleWindow window(Theme::light(), QSize(1440, 900));
    window.display(snapshot);
    QStringList words;
    for (const auto* label : window.findChild<RecommendationCard*>()->findChildren<QLabel*>()) {
        if (label->property("chip").toString() == QLatin1String("warn") && !label->isHidden())
            words << label->text();
    }
    return words.join(QLatin1String(", ")).toStdString();
}

} // namespace

class RecommendationCardTest : public QObject
{
    Q_OBJECT

private slots:
    // If a fresh process could not run a size, larger sizes cannot run either, and smaller ones are in doubt.
    void warnsOfAnUnverifiedSize_data()
    {
        using trial::Outcome;
        rows<bool, Outcome, std::string>(
            {{"another one failed", {true, Outcome::OutOfMemory, "not verified"}},
             {"still to be verified", {false, Outcome::OutOfMemory, ""}},
             {"another one ran", {true, Outcome::Ok, ""}}});
    }
    void warnsOfAnUnverifiedSize()
    {
        const auto& [isAtEnd, outcome, expected] = row<bool, trial::Outcome, std::string>();
        engine::Snapshot snapshot = test::finishedSnapshot();
        snapshot.trials.back().microBatchSize = 224;
        snapshot.trials.back().outcome = outcome;
        snapshot.verification.reset();
        if (!isAtEnd)
            snapshot.finish.reset();
        QCOMPARE(warnings(snapshot), expected);
    }

    void reportsUnusedMemoryOfLargerDevices()
    {
        engine::Snapshot snapshot = test::finishedSnapshot();
        snapshot.devices = {{.id = QStringLiteral("cuda:0"), .usableBytes = std::int64_t{40} << 30},
                            {.id = QStringLiteral("cuda:1"), .usableBytes = std::int64_t{80} << 30}};
        snapshot.searchState.recommendation->reason.kind = search::Reason::Kind::MemoryEnds;
        const QString unused = engine::unusedMemoryText(snapshot);
        QVERIFY(!unused.isEmpty());
        test::SampleWindow window(Theme::light(), QSize(1440, 900));
        window.display(snapshot);
        const auto labels = window.findChild<RecommendationCard*>()->findChildren<QLabel*>();
        QVERIFY(std::ranges::any_of(labels, [&](const QLabel* label) {
            return !label->isHidden() && label->text().contains(unused);
        }));
    }
};

BATCHPEAK_TEST(RecommendationCardTest)
#include "tst_recommendation_card.moc"
