// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/chart_scene.h"
#include "device_families.h"
#include "engine/snapshot_builder.h"
#include "exploration/trials_model.h"
#include "history/trial_planner.h"
#include "replay_device.h"
#include "snapshot/present_size.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "text/readable_text.h"

#include <QRegularExpression>
#include <QTest>

#include <cmath>
#include <memory>
#include <string>

using namespace batchpeak;

namespace {

// Rounding error of a percentage with one decimal, plus that of two numbers with four significant digits.
constexpr double roundingOfPercent = 0.0005 + 0.001;

trial::TrialResult resultOf(const search::Measurement& measurement)
{
    trial::TrialResult result{.microBatchSize = measurement.size,
                              .outcome = measurement.outcome,
                              .steps = static_cast<int>(measurement.timedSteps()),
                              .secondsPerStep = measurement.secondsPerStep,
                              .stepSeconds = measurement.stepSeconds,
                              .peakAllocatedBytes = measurement.peakAllocatedBytes,
                              .peakReservedBytes = measurement.peakReservedBytes,
                              .wallSeconds = measurement.wallSeconds,
                              .compared = measurement.compared};
    if (measurement.disturbed)
        result.flags = {"disturbed"};
    result.readings.contention = measurement.contention;
    result.readings.foreignProcessors = 2.0 * measurement.contention;
    return result;
}

/// An exploration on a simulated device, with the snapshots that its engine shows.
class Explored
{
public:
    Explored(const std::string& family, std::uint64_t seed, const std::string& world)
        : m_device(deviceOf(family, seed, world), seed),
          m_strategy(search::makeStrategy("posterior", m_device.space())),
          m_builder({.formatName = {},
                     .family = {},
                     .modelSource = {},
                     .phase = model::Phase::Eval,
                     .plan = {.setting = config::Explore{}, .presentSize = 8},
                     .strategy = QStringLiteral("posterior"),
                     .tolerance = m_device.space().tolerance})
    {
        const auto limit = static_cast<std::int64_t>(m_device.truth().limitBytes);
        m_seen.limitBytes = limit;
        m_seen.usableBytes = limit;
        m_builder.setState(engine::State::Exploring);
    }

    /// \return whether anything was left to try
    bool step()
    {
        const auto proposal = m_strategy->next({});
        if (!proposal)
            return false;
        const double begin = m_device.clockSeconds();
        trial::TrialRecord trial = engine::recordFor(*proposal, m_builder.nextTrial());
        m_builder.startTrial(trial, begin);
        const search::Measurement measurement = m_device.run(*proposal);
        trial::TrialResult result = resultOf(measurement);
        result.id = trial.number;
        m_builder.endTrial(result, m_seen, m_device.clockSeconds());
        m_strategy->record(measurement);
        m_builder.takeSearchState(m_strategy->searchState());
        m_builder.takeTime(m_device.clockSeconds(), std::nullopt, 1);
        return true;
    }

    void end() { m_builder.close(engine::FinishStatus::Exhausted, true); }

    const engine::Snapshot& snapshot() const { return m_builder.snapshot(); }

private:
    ReplayDevice m_device;
    std::unique_ptr<search::Strategy> m_strategy;
    engine::SnapshotBuilder m_builder;
    engine::DeviceSnapshot m_seen{.id = QStringLiteral("cpu")};
};

/// The texts and numbers that the user sees of an exploration at one moment.
class Page
{
public:
    explicit Page(const engine::Snapshot& snapshot)
        : m_snapshot(snapshot), m_scene(ui::chartSceneOf(snapshot))
    {
        m_table.display(snapshot, m_scene.unit);
    }

    /// Returns how the numbers contradict a sentence; empty if none does.
    QString contradiction() const
    {
        if (!m_snapshot.recommendsSize())
            return {};
        for (const QString& problem :
             {ofReason(), ofLeadership(), ofSmallerSize(), ofGains(), ofChart(), ofEnding()}) {
            if (!problem.isEmpty())
                return problem + QStringLiteral(" | ") + m_snapshot.reason;
        }
        return {};
    }

private:
    static double number(QString text) { return QLocale().toDouble(text.remove(QLocale().groupSeparator())); }

    /// Numbers of a size in the table, such as "812 ± 5", and the value of their last decimal place.
    struct Cell
    {
        double value = 0.0;
        double half = 0.0;
        double place = 0.0;
    };
    std::optional<Cell> cell(std::int64_t size) const
    {
        const QModelIndex index = m_table.indexOf(size);
        if (!index.isValid())
            return std::nullopt;
        const QString text = index.siblingAtColumn(ui::TrialsModel::Rate).data().toString();
        const QStringList parts = text.split(QStringLiteral(" ± "));
        const qsizetype decimals = parts.front().section(QLocale().decimalPoint(), 1).size();
        return Cell{.value = number(parts.front()),
                    .half = parts.size() > 1 ? number(parts.at(1)) : 0.0,
                    .place = std::pow(10.0, -static_cast<double>(decimals))};
    }

    QString contradictionInTable(std::int64_t size, double stated) const
    {
        const auto shown = cell(size);
        // The sentence has four significant digits; the interval determines how many the table has.
        const double rounding = shown ? 0.51 * shown->place + 5.1e-4 * stated : 0.0;
        if (shown && std::abs(shown->value - stated) <= rounding)
            return {};
        return QStringLiteral("%1 is told with %2 and shown with %3")
            .arg(size)
            .arg(stated)
            .arg(shown ? shown->value : -1.0);
    }

    /// Checks a sentence such as "64 (812 samples/s) is 3.1 % faster than 48 (788 samples/s), the next best".
    QString ofReason() const
    {
        static const QRegularExpression lead(QStringLiteral(
            R"(([\d,]+) \(([\d,.]+) samples/s\) is ([\d.]+) % faster than ([\d,]+) \(([\d,.]+) samples/s\))"));
        static const QRegularExpression speed(QStringLiteral(R"(\d samples/s|% faster)"));
        const auto match = lead.match(m_snapshot.reason);
        if (!match.hasMatch())
            return m_snapshot.reason.contains(speed) ? QStringLiteral("an unknown sentence") : QString();
        const auto size = static_cast<std::int64_t>(number(match.captured(1)));
        const auto rival = static_cast<std::int64_t>(number(match.captured(4)));
        const double first = number(match.captured(2));
        const double second = number(match.captured(5));
        if (std::abs(first / second - 1.0 - number(match.captured(3)) / 100.0) > roundingOfPercent)
            return QStringLiteral("the lead is not the quotient");
        if (size != m_snapshot.searchState.recommendation->size)
            return QStringLiteral("the sentence is of another size");
        const QString denied = contradictionInTable(size, first);
        return denied.isEmpty() ? contradictionInTable(rival, second) : denied;
    }

    /// Checks that no size that could be recommended is shown as faster than the one that is said to lead.
    QString ofLeadership() const
    {
        static const QRegularExpression leads(QStringLiteral("fastest|% faster than"));
        const std::int64_t best = m_snapshot.searchState.recommendation->size;
        const auto shown = cell(best);
        if (!shown)
            return QStringLiteral("the recommended size is not in the table");
        if (!m_snapshot.reason.contains(leads))
            return {};
        for (const search::SizeEstimate& estimate : m_snapshot.searchState.estimates) {
            const auto other = cell(estimate.size);
            if (other && other->value > shown->value + other->place + shown->place)
                return QStringLiteral("%1 is shown faster: %2 and %3")
                    .arg(estimate.size)
                    .arg(other->value)
                    .arg(shown->value);
        }
        return {};
    }

    /// Checks a sentence such as "48 is within 2 % and takes 1.2 GiB less."
    QString ofSmallerSize() const
    {
        if (m_snapshot.smallerSize.isEmpty())
            return {};
        static const QRegularExpression sentence(
            QStringLiteral(R"(^([\d,]+) is within ([\d.]+) %( too| and takes (.+) less)\.$)"));
        const auto match = sentence.match(m_snapshot.smallerSize);
        const auto size = static_cast<std::int64_t>(number(match.captured(1)));
        const auto smaller = cell(size);
        const auto best = cell(m_snapshot.searchState.recommendation->size);
        if (!match.hasMatch() || !smaller || !best)
            return QStringLiteral("nothing is shown of the smaller size");
        const double rounding = (smaller->place + best->place) / smaller->value + roundingOfPercent;
        if (best->value / smaller->value - 1.0 > number(match.captured(2)) / 100.0 + rounding)
            return QStringLiteral("the smaller size is not within the tolerance");
        const std::int64_t saved = peakOf(m_snapshot.searchState.recommendation->size) - peakOf(size);
        return match.captured(4).isEmpty() || match.captured(4) == engine::bytesText(saved)
                   ? QString()
                   : QStringLiteral("the smaller size saves ") + engine::bytesText(saved);
    }

    std::int64_t peakOf(std::int64_t size) const
    {
        return m_table.indexOf(size)
            .siblingAtColumn(ui::TrialsModel::Memory)
            .data(ui::TrialsModel::SortRole)
            .toLongLong();
    }

    /// Checks that "2.10x base" and "2.10× the config's 24" are quotients of the numbers that are shown.
    QString ofGains() const
    {
        const auto& best = *m_snapshot.searchState.recommendation;
        const auto isQuotient = [&](double stated, std::int64_t base) {
            const auto shown = cell(best.size);
            const auto other = cell(base);
            if (!shown || !other)
                return true;
            const double rounding =
                0.01 + stated * (shown->place / shown->value + other->place / other->value);
            return std::abs(stated - shown->value / other->value) <= rounding;
        };
        if (!isQuotient(best.relativePerformance, m_snapshot.course.front().size))
            return QStringLiteral("%1x base").arg(best.relativePerformance);
        const auto present = engine::comparedWithPresentSize(m_snapshot);
        if (present && present->factor && !isQuotient(*present->factor, present->size))
            return QStringLiteral("%1x the config's %2").arg(*present->factor).arg(present->size);
        return {};
    }

    /// Checks that the dot is at the number of the table, and that the line passes the number of each size.
    QString ofChart() const
    {
        const auto& best = *m_snapshot.searchState.recommendation;
        if (!m_scene.lead || m_scene.lead->size != best.size)
            return QStringLiteral("the chart marks another size");
        if (const QString denied = contradictionInTable(best.size, m_scene.leadValue().value_or(0.0));
            !denied.isEmpty())
            return QStringLiteral("chart: ") + denied;
        for (const ui::ReckonedSize& size : m_scene.reckoned) {
            if (const QString denied = contradictionInTable(size.size, m_scene.valueOf(size).value_or(0.0));
                !denied.isEmpty())
                return QStringLiteral("chart: ") + denied;
        }
        for (const ui::ModelPoint& point : m_scene.curve) {
            const auto size = static_cast<std::int64_t>(point.size);
            const search::SizeEstimate* estimate = m_snapshot.searchState.estimateOf(size);
            const auto shown = estimate ? cell(size) : std::nullopt;
            if (shown && std::abs(point.samplesPerSecond - shown->value) >
                             shown->half + shown->place + 0.01 * shown->value)
                return QStringLiteral("the line passes %1 at %2, shown with %3")
                    .arg(size)
                    .arg(point.samplesPerSecond)
                    .arg(shown->value);
        }
        return {};
    }

    /// Checks a sentence such as "Continuing could gain up to 26.7 % (192 may be faster)."
    QString ofEnding() const
    {
        const auto& continuation = m_snapshot.searchState.continuation;
        if (!m_snapshot.finish || !continuation)
            return {};
        return m_snapshot.ending.contains(engine::percentText(std::max(continuation->maxGain, 0.001))) &&
                       m_snapshot.ending.contains(engine::numberText(continuation->rival))
                   ? QString()
                   : QStringLiteral("the end tells another prospect: ") + m_snapshot.ending;
    }

    const engine::Snapshot& m_snapshot;
    ui::ChartScene m_scene;
    ui::TrialsModel m_table;
};

/// Number of searches in each world: 20 with BATCHPEAK_MANY_SEARCHES=1, which takes minutes.
std::size_t searchesPerWorld()
{
    return qEnvironmentVariableIsSet("BATCHPEAK_MANY_SEARCHES") ? 20 : 1;
}

} // namespace

/// Tests that the numbers on the page contradict no sentence about the exploration, in any simulated world.
class ShownNumbersTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void agree_data()
    {
        const auto add = rows<std::string, std::size_t>();
        std::size_t family = 0;
        add("calm", {std::string(), family});
        for (const std::string& world : restlessWorlds())
            add(world, {world, ++family});
    }
    void agree()
    {
        const auto& [world, firstFamily] = row<std::string, std::size_t>();
        static const std::vector<std::string> families{"level", "smooth", "plateau", "clocked", "thrash"};
        for (std::size_t seed = 0; seed < searchesPerWorld(); ++seed) {
            const std::string& family = families[(firstFamily + seed) % families.size()];
            Explored explored(family, 7000 + seed, world);
            const auto check = [&] {
                const QString problem = Page(explored.snapshot()).contradiction();
                return problem.isEmpty() ? QString()
                                         : QStringLiteral("%1 %2, trial %3: %4")
                                               .arg(QString::fromStdString(family))
                                               .arg(seed)
                                               .arg(explored.snapshot().trials.size())
                                               .arg(problem);
            };
            while (explored.step())
                QVERIFY2(check().isEmpty(), qPrintable(check()));
            explored.end();
            QVERIFY2(check().isEmpty(), qPrintable(check()));
        }
    }
};

BATCHPEAK_TEST(ShownNumbersTest)

#include "tst_shown_numbers.moc"
