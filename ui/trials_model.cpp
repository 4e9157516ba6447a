// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trials_model.h"

#include "charts/chart_scene.h"
#include "engine/readable_text.h"
#include "trial/trial_record.h"

#include <QCoreApplication>
#include <QFont>
#include <QStringList>

#include <numeric>
#include <utility>

namespace batchpeak::ui {

namespace {

using trial::Outcome;
using trial::TrialRecord;

struct Verdict
{
    Glyph glyph = Glyph::Check;
    Tone tone = Tone::Muted;
    QString word;
};

struct Words
{
    Q_DECLARE_TR_FUNCTIONS(TrialRow)
};

// Of a trial that measured something, the one thing that a reader must know first.
Verdict verdictOnOk(const TrialRecord& trial, bool best, bool recommended)
{
    if (trial.thrashes)
        return {Glyph::Warning, Tone::Warn, Words::tr("thrashes")};
    if (!trial.withinHeadroom)
        return {Glyph::Warning, Tone::Warn, Words::tr("over headroom")};
    if (best)
        return recommended ? Verdict{Glyph::Star, Tone::Good, Words::tr("best")}
                           : Verdict{Glyph::Star, Tone::Warn, Words::tr("leading")};
    if (trial.disturbed)
        return {Glyph::Warning, Tone::Muted, Words::tr("ok, disturbed")};
    if (trial.abandoned)
        return {Glyph::Check, Tone::Muted, Words::tr("ok, cut short")};
    if (trial.repetition > 0)
        return {Glyph::Check, Tone::Muted, Words::tr("ok, repeated")};
    return {Glyph::Check, Tone::Muted, Words::tr("ok")};
}

Verdict verdictOn(const TrialRecord& trial, bool best, bool recommended)
{
    if (trial.isRunning())
        return {Glyph::Play, Tone::Warn, trial.timedSteps == 0 ? Words::tr("warm-up") : Words::tr("running")};
    switch (*trial.outcome) {
    case Outcome::Ok:
        return verdictOnOk(trial, best, recommended);
    case Outcome::OutOfMemory:
        return {Glyph::Cross, Tone::Bad, Words::tr("OOM")};
    case Outcome::Unsupported:
        return {Glyph::Barred, Tone::Muted, Words::tr("unsupported")};
    case Outcome::Failed:
        return {Glyph::Warning, Tone::Muted, Words::tr("failed")};
    case Outcome::Timeout:
        return {Glyph::Clock, Tone::Muted, Words::tr("timed out")};
    case Outcome::Cancelled:
        return {Glyph::Stop, Tone::Muted, Words::tr("cancelled")};
    case Outcome::Crashed:
        break;
    }
    return {Glyph::Warning, Tone::Muted, Words::tr("crashed")};
}

} // namespace

TrialRow trialRowOf(const TrialRecord& trial, bool best, bool recommended, const engine::MemoryUnit& unit)
{
    const QLocale locale;
    const QString none = QStringLiteral("–");
    const Verdict verdict = verdictOn(trial, best, recommended);
    const bool measured =
        trial.samplesPerSecond.has_value() && (trial.outcome == Outcome::Ok || trial.isRunning());
    const bool peakKnown = measured && trial.peakReservedBytes.value_or(0) > 0;

    TrialRow row{.glyph = verdict.glyph, .tone = verdict.tone, .best = best};
    row.texts[TrialRow::Number] = engine::numberText(trial.number, locale);
    row.texts[TrialRow::Size] = engine::numberText(trial.microBatchSize, locale);
    row.texts[TrialRow::Result] = verdict.word;
    row.texts[TrialRow::Rate] =
        measured ? engine::rateText(*trial.samplesPerSecond, trial.relativeError, locale) : none;
    row.texts[TrialRow::Memory] =
        peakKnown ? engine::memoryText(static_cast<double>(*trial.peakReservedBytes), unit, locale) : none;
    row.texts[TrialRow::Took] =
        trial.wallSeconds > 0.0 ? engine::durationText(trial.wallSeconds, locale) : none;
    row.texts[TrialRow::Device] = QString::fromStdString(trial.device);

    QStringList notes;
    if (trial.outcome == Outcome::OutOfMemory)
        notes << Words::tr("Out of memory");
    if (!trial.withinHeadroom)
        notes << Words::tr("It fits the device, but reaches into the headroom that is kept free");
    if (trial.thrashes)
        notes << Words::tr("It fits only by emptying the allocator's cache again and again");
    if (trial.repetition > 0)
        notes << Words::tr("Repetition %1 of a trial that something disturbed").arg(trial.repetition);
    for (const std::string& flag : trial.flags) {
        // A sentence says it better.
        if (flag != trial::flag::repetition)
            notes << QString::fromStdString(flag);
    }
    if (trial.joulesPerSample)
        notes << engine::energyPerSampleText(*trial.joulesPerSample, locale);
    if (!trial.text.empty())
        notes << QString::fromStdString(trial.text);
    row.toolTip = notes.join(QLatin1Char('\n'));
    return row;
}

using engine::Snapshot;

void TrialsModel::setTheme(const Theme& theme)
{
    m_theme = theme;
    if (!m_rows.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1),
                         {Qt::ForegroundRole, Qt::DecorationRole});
}

std::vector<TrialRow> TrialsModel::rowsOf(const Snapshot& snapshot, const engine::MemoryUnit& unit) const
{
    const trial::TrialRecord* best = snapshot.recommendedTrial();
    std::vector<TrialRow> rows;
    rows.reserve(snapshot.trials.size());
    for (auto trial = snapshot.trials.rbegin(); trial != snapshot.trials.rend(); ++trial)
        rows.push_back(trialRowOf(*trial, &*trial == best, snapshot.isRecommendationSure(), unit));
    return rows;
}

void TrialsModel::display(const Snapshot& snapshot, const engine::MemoryUnit& unit)
{
    if (m_unitName != unit.name) {
        m_unitName = unit.name;
        emit headerDataChanged(Qt::Horizontal, TrialRow::Memory, TrialRow::Memory);
    }
    std::vector<TrialRow> rows = rowsOf(snapshot, unit);
    const bool sameExploration =
        rows.size() >= m_rows.size() && (m_rows.empty() || rows[rows.size() - 1].texts[TrialRow::Size] ==
                                                               m_rows.back().texts[TrialRow::Size]);
    if (!sameExploration) {
        beginResetModel();
        m_rows = std::move(rows);
        endResetModel();
        return;
    }
    const auto added = static_cast<int>(rows.size() - m_rows.size());
    if (added > 0) {
        beginInsertRows({}, 0, added - 1);
        m_rows.insert(m_rows.begin(), rows.begin(), rows.begin() + added);
        endInsertRows();
    }
    for (int row = added; row < rowCount(); ++row) {
        auto& shown = m_rows[static_cast<std::size_t>(row)];
        auto& wanted = rows[static_cast<std::size_t>(row)];
        if (shown == wanted)
            continue;
        shown = std::move(wanted);
        emit dataChanged(index(row, 0), index(row, columnCount() - 1));
    }
}

int TrialsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int TrialsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(TrialRow::ColumnCount);
}

QVariant TrialsModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const TrialRow& row = m_rows[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    const bool quiet = column == TrialRow::Number || column == TrialRow::Took || column == TrialRow::Device;
    switch (role) {
    case Qt::DisplayRole:
        return row.texts[static_cast<std::size_t>(column)];
    case Qt::DecorationRole:
        if (column == TrialRow::Result)
            return glyphIcon(row.glyph, colourOf(row.tone, m_theme), m_theme.mutedText);
        return {};
    case Qt::ForegroundRole:
        if (column == TrialRow::Result)
            return colourOf(row.tone, m_theme);
        return quiet ? m_theme.mutedText : m_theme.text;
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::AlignVCenter |
                                   (column == TrialRow::Result ? Qt::AlignLeft : Qt::AlignRight));
    case Qt::FontRole:
        if (row.best) {
            QFont font;
            font.setWeight(QFont::DemiBold);
            return font;
        }
        return {};
    case Qt::ToolTipRole:
        return row.toolTip.isEmpty() ? QVariant() : QVariant(row.toolTip);
    default:
        return {};
    }
}

QVariant TrialsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::AlignVCenter |
                                   (section == TrialRow::Result ? Qt::AlignLeft : Qt::AlignRight));
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case TrialRow::Number:
        return tr("#");
    case TrialRow::Size:
        return tr("Size");
    case TrialRow::Result:
        return tr("Result");
    case TrialRow::Rate:
        return tr("Samples/s");
    case TrialRow::Memory:
        return m_unitName;
    case TrialRow::Took:
        return tr("Took");
    case TrialRow::Device:
        return tr("Device");
    default:
        return {};
    }
}

QString TrialsModel::asText(const std::vector<int>& rows) const
{
    std::vector<int> wanted = rows;
    if (wanted.empty()) {
        wanted.resize(m_rows.size());
        std::iota(wanted.begin(), wanted.end(), 0);
    }
    QStringList header;
    for (int column = 0; column < columnCount(); ++column)
        header << headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    QStringList lines{header.join(QLatin1Char('\t'))};
    for (const int row : wanted) {
        const auto& texts = m_rows.at(static_cast<std::size_t>(row)).texts;
        lines << QStringList(texts.begin(), texts.end()).join(QLatin1Char('\t'));
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

} // namespace batchpeak::ui
