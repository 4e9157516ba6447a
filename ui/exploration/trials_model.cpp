// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trials_model.h"

#include "snapshot/measured_sizes.h"
#include "text/comparison_text.h"
#include "text/fidelity_text.h"
#include "trial/contrast.h"
#include "trial/trial_record.h"

#include <algorithm>
#include <utility>

namespace batchpeak::ui {

namespace {

using trial::ComparedRecord;
using trial::Outcome;
using trial::TrialRecord;

struct Verdict
{
    Glyph glyph = Glyph::Check;
    Tone tone = Tone::Muted;
    QString word;
};

// Returns the most important fact about a trial that measured something.
Verdict verdictOnOk(const TrialRecord& trial)
{
    if (trial.thrashes)
        return {Glyph::Warning, Tone::Warn, TrialsModel::tr("thrashes")};
    if (!trial.withinHeadroom)
        return {Glyph::Warning, Tone::Warn, TrialsModel::tr("over headroom")};
    if (trial.disturbed)
        return {Glyph::Warning, Tone::Muted, TrialsModel::tr("ok, disturbed")};
    if (trial.abandoned)
        return {Glyph::Check, Tone::Muted, TrialsModel::tr("ok, cut short")};
    if (trial.repetition > 0)
        return {Glyph::Check, Tone::Muted, TrialsModel::tr("ok, retried")};
    return {Glyph::Check, Tone::Muted, TrialsModel::tr("ok")};
}

/// Returns the verdict on a trial that measured nothing, or not everything.
Verdict verdictOnFailure(Outcome outcome)
{
    switch (outcome) {
    case Outcome::OutOfMemory:
        return {Glyph::Cross, Tone::Bad, TrialsModel::tr("OOM")};
    case Outcome::Unsupported:
        return {Glyph::Barred, Tone::Muted, TrialsModel::tr("unsupported")};
    case Outcome::Failed:
        return {Glyph::Warning, Tone::Muted, TrialsModel::tr("failed")};
    case Outcome::Timeout:
        return {Glyph::Clock, Tone::Muted, TrialsModel::tr("timed out")};
    case Outcome::Cancelled:
        return {Glyph::Stop, Tone::Muted, TrialsModel::tr("canceled")};
    case Outcome::Crashed:
    case Outcome::Ok:
        break;
    }
    return {Glyph::Warning, Tone::Muted, TrialsModel::tr("crashed")};
}

Verdict verdictOn(const TrialRecord& trial)
{
    if (trial.isRunning())
        return {Glyph::Play, Tone::Warn,
                trial.timedSteps == 0 ? TrialsModel::tr("warm-up") : TrialsModel::tr("running")};
    return trial.outcome == Outcome::Ok ? verdictOnOk(trial) : verdictOnFailure(*trial.outcome);
}

/// Returns the verdict on one size of a comparison.
/// \param contrast  nothing if fewer than two sizes were visited
Verdict verdictOn(const TrialRecord& trial, const ComparedRecord& size,
                  const std::optional<trial::Contrast>& contrast)
{
    if (trial.isRunning())
        return {Glyph::Play, Tone::Warn, TrialsModel::tr("comparing")};
    // If a size ended the comparison, the outcome applies to that size only.
    const bool isSpoilt = trial.outcome != Outcome::Ok;
    if (isSpoilt && (trial.microBatchSize == 0 || trial.microBatchSize == size.microBatchSize))
        return verdictOnFailure(*trial.outcome);
    if (trial.thrashes)
        return {Glyph::Warning, Tone::Warn, TrialsModel::tr("thrashes")};
    const Glyph glyph = trial.disturbed ? Glyph::Warning : Glyph::Compare;
    if (isSpoilt || !contrast)
        return {glyph, Tone::Muted, TrialsModel::tr("cut short")};
    if (contrast->leader == size.microBatchSize)
        return {glyph, Tone::Plain,
                (contrast->isClear() ? TrialsModel::tr("leads %1") : TrialsModel::tr("level, %1"))
                    .arg(engine::leadText(*contrast))};
    return {glyph, Tone::Muted, TrialsModel::tr("compared")};
}

QString toolTipOf(const TrialRecord& trial)
{
    QStringList notes;
    if (trial.isComparison())
        notes << engine::comparedText(trial);
    if (trial.outcome == Outcome::OutOfMemory)
        notes << TrialsModel::tr("Out of memory");
    if (!trial.withinHeadroom)
        notes << TrialsModel::tr("It fits the device, but reaches into the headroom that is kept free");
    if (trial.thrashes)
        notes << TrialsModel::tr("It fits only by emptying the allocator's cache again and again");
    if (trial.repetition > 0)
        notes << TrialsModel::tr("Retry %1 of a disturbed trial").arg(trial.repetition);
    for (const std::string& flag : trial.flags) {
        // The sentence above says this.
        if (flag != trial::flag::repetition)
            notes << QString::fromStdString(flag);
    }
    if (trial.joulesPerSample)
        notes << engine::energyPerSampleText(*trial.joulesPerSample);
    if (!trial.text.empty())
        notes << QString::fromStdString(trial.text);
    return notes.join(QLatin1Char('\n'));
}

const QString none = QStringLiteral("–");

QString tookText(const TrialRecord& trial)
{
    return trial.wallSeconds > 0.0 ? engine::durationText(trial.wallSeconds) : none;
}

/// Whether the rows are sorted by the column in descending order first, so that the best is on top.
bool isBestLargest(int column)
{
    return column == TrialsModel::Rate || column == TrialsModel::Memory || column == TrialsModel::Trials ||
           column == TrialsModel::Took;
}

QString numberSign(int number)
{
    return TrialsModel::tr("#%1", "number of a trial").arg(engine::numberText(number));
}

QString withTook(const QString& toolTip, const TrialRecord& trial)
{
    if (trial.wallSeconds <= 0.0)
        return toolTip;
    const QString took =
        TrialsModel::tr("Took %1 on %2")
            .arg(engine::durationText(trial.wallSeconds), QString::fromStdString(trial.device));
    return toolTip.isEmpty() ? took : toolTip + QLatin1Char('\n') + took;
}

/// Settings that all rows share.
struct Look
{
    engine::MemoryUnit unit;
    /// Mark before a speed and a peak that are not those of the config's own run.
    QString speedMark;
    QString memoryMark;
    /// Reason for the mark; empty if there is none.
    QString markText;

    QString explained(const QString& toolTip) const
    {
        return markText.isEmpty() || toolTip.isEmpty() ? toolTip + markText
                                                       : toolTip + QLatin1Char('\n') + markText;
    }
};

Look lookOf(const engine::Snapshot& snapshot, const engine::MemoryUnit& unit)
{
    Look look{.unit = unit, .speedMark = {}, .memoryMark = {}, .markText = {}};
    if (!snapshot.run)
        return look;
    look.speedMark = engine::speedMark(snapshot.run->fidelity);
    look.memoryMark = engine::memoryMark(snapshot.run->fidelity);
    if (!look.speedMark.isEmpty())
        look.markText = engine::fidelitySentence(snapshot.run->fidelity);
    return look;
}

QString peakText(std::optional<std::int64_t> bytes, const Look& look)
{
    return bytes.value_or(0) > 0
               ? look.memoryMark + engine::memoryText(static_cast<double>(*bytes), look.unit)
               : none;
}

TableRow trialRowOf(const TrialRecord& trial, const Look& look)
{
    const Verdict verdict = verdictOn(trial);
    const bool measured =
        trial.samplesPerSecond.has_value() && (trial.outcome == Outcome::Ok || trial.isRunning());
    return {.texts = {numberSign(trial.number), verdict.word,
                      measured
                          ? look.speedMark + engine::rateText(*trial.samplesPerSecond, trial.relativeError)
                          : none,
                      measured ? peakText(trial.peakReservedBytes, look) : none, QString(), tookText(trial),
                      QString::fromStdString(trial.device)},
            .glyph = verdict.glyph,
            .tone = verdict.tone,
            .toolTip = look.explained(withTook(toolTipOf(trial), trial))};
}

TableRow trialRowOf(const TrialRecord& comparison, const ComparedRecord& size, const Look& look)
{
    const Verdict verdict = verdictOn(comparison, size, trial::contrastOf(comparison.compared));
    return {.texts = {numberSign(comparison.number), verdict.word,
                      size.samplesPerSecond
                          ? look.speedMark + engine::rateText(*size.samplesPerSecond, size.relativeError)
                          : none,
                      peakText(size.peakReservedBytes, look), QString(), tookText(comparison),
                      QString::fromStdString(comparison.device)},
            .glyph = verdict.glyph,
            .tone = verdict.tone,
            .toolTip = look.explained(withTook(toolTipOf(comparison), comparison))};
}

/// Returns the row of what an earlier exploration measured, with its day in place of a number.
TableRow trialRowOf(const engine::RecalledTrial& recalled, const Look& look)
{
    const TrialRecord& trial = recalled.trial;
    TableRow row = trialRowOf(trial, look);
    const QString day = engine::dayAndTimeText(recalled.ended);
    row.texts[TrialsModel::Size] = none;
    if (trial.outcome == Outcome::Ok)
        row.texts[TrialsModel::Result] = TrialsModel::tr("earlier");
    row.texts[TrialsModel::Trials] = day;
    row.tone = Tone::Muted;
    row.isPale = true;
    const QString told =
        recalled.exploration
            ? TrialsModel::tr("Measured by exploration %1 on %2").arg(*recalled.exploration).arg(day)
            : TrialsModel::tr("Measured by an earlier exploration on %1").arg(day);
    row.toolTip = look.explained(told);
    return row;
}

TableRow trialRowOf(const TrialRecord& trial, std::int64_t size, const Look& look)
{
    const auto compared = std::ranges::find(trial.compared, size, &trial::ComparedRecord::microBatchSize);
    return compared == trial.compared.end() ? trialRowOf(trial, look) : trialRowOf(trial, *compared, look);
}

/// Shows that the user has excluded the size; a running trial of it is shown nevertheless.
void showExclusion(TableRow& row, std::int64_t size, bool isRunning, const engine::Snapshot& snapshot)
{
    if (isRunning ||
        std::ranges::find(snapshot.searchState.excluded, size) == snapshot.searchState.excluded.end())
        return;
    row.glyph = Glyph::Barred;
    row.tone = Tone::Muted;
    row.texts[TrialsModel::Result] = TrialsModel::tr("excluded");
}

/// Shows the state of the newest trial, and whether the size is the recommended one.
void showState(TableRow& row, const TableRow& newest, bool isRunning, const engine::Snapshot& snapshot,
               bool isRecommended)
{
    row.glyph = newest.glyph;
    row.tone = newest.tone;
    row.texts[TrialsModel::Result] = newest.texts[TrialsModel::Result];
    if (!isRecommended)
        return;
    const bool isSure = snapshot.isRecommendationSure();
    const Tone tone = isSure ? Tone::Good : Tone::Warn;
    row.isBold = true;
    if (isRunning) {
        row.mark = Glyph::Star;
        row.markTone = tone;
        return;
    }
    row.glyph = Glyph::Star;
    row.tone = tone;
    row.texts[TrialsModel::Result] = isSure ? TrialsModel::tr("best") : TrialsModel::tr("leading");
}

/// Returns the tool tip of a row of a single trial, whose own speed may differ from the estimate.
QString withItsTrial(const QString& toolTip, const QString& rate, const TableRow& trial)
{
    const QString& own = trial.texts[TrialsModel::Rate];
    if (rate == own || own == none)
        return toolTip;
    const QString text =
        TrialsModel::tr("Samples/s estimated from all trials; this trial alone: %1").arg(own);
    return toolTip.isEmpty() ? text : text + QLatin1Char('\n') + toolTip;
}

QString togetherText(const engine::MeasuredSize& size)
{
    if (size.isRecommended)
        return TrialsModel::tr("Mean ± 95 % interval, estimated by the search from all trials");
    return size.soundTrials > 0
               ? TrialsModel::tr("Mean ± 95 % interval of %1").arg(engine::trialsText(size.soundTrials))
               : QString();
}

QString devicesText(const std::vector<const TrialRecord*>& trials)
{
    QStringList devices;
    for (const TrialRecord* trial : trials)
        devices << QString::fromStdString(trial->device);
    devices.removeDuplicates();
    devices.sort();
    return devices.join(QLatin1String(", "));
}

} // namespace

TrialsModel::TrialsModel(QObject* parent)
    : QAbstractItemModel(parent),
      m_columns{.titles = {tr("Size"), tr("Result"), tr("Samples/s"), QStringLiteral("GiB"), tr("Trials"),
                           tr("Took"), tr("Device")},
                .status = Result,
                .quiet = {Trials, Took, Device}}
{}

TrialsModel::~TrialsModel() = default;

void TrialsModel::setTheme(const Theme& theme)
{
    m_columns.theme = theme;
    const QList<int> roles{Qt::ForegroundRole, Qt::DecorationRole};
    for (int row = 0; row < rowCount(); ++row) {
        const QModelIndex size = index(row, 0);
        emit dataChanged(size, index(row, columns - 1), roles);
        if (const int trials = rowCount(size); trials > 0)
            emit dataChanged(index(0, 0, size), index(trials - 1, columns - 1, size), roles);
    }
}

TrialsModel::SizeRows TrialsModel::rowsOf(const engine::Snapshot& snapshot,
                                          const engine::MemoryUnit& unit) const
{
    SizeRows rows;
    const Look look = lookOf(snapshot, unit);
    for (const engine::MeasuredSize& size : engine::measuredSizes(snapshot)) {
        std::vector<const TrialRecord*> trials;
        for (auto number = size.trials.rbegin(); number != size.trials.rend(); ++number)
            trials.push_back(&*std::ranges::find(snapshot.trials, *number, &TrialRecord::number));
        auto row = std::make_unique<SizeRow>();
        row->size = size.microBatchSize;
        row->newest = size.trials.empty() ? 0 : size.trials.back();
        double seconds = 0.0;
        for (const TrialRecord* trial : trials) {
            row->trials.push_back(
                {.number = trial->number, .row = trialRowOf(*trial, size.microBatchSize, look)});
            seconds += trial->wallSeconds;
        }
        for (auto recalled = snapshot.recalled.rbegin(); recalled != snapshot.recalled.rend(); ++recalled) {
            if (recalled->trial.microBatchSize == size.microBatchSize)
                row->trials.push_back({.number = 0, .row = trialRowOf(*recalled, look)});
        }
        row->count = static_cast<int>(row->trials.size());
        const TableRow newest = row->trials.front().row;
        const bool isOne = row->count == 1;
        // Before anything is measured: the speed from the steps of the running trial.
        const QString rate = size.samplesPerSecond ? look.speedMark + engine::rateText(*size.samplesPerSecond,
                                                                                       size.relativeError)
                                                   : newest.texts[Rate];
        row->row = {.texts = {engine::numberText(size.microBatchSize), QString(), rate,
                              peakText(size.peakReservedBytes, look),
                              trials.empty() ? newest.texts[Trials]
                              : isOne        ? numberSign(row->newest)
                                             : tr("%1 · %2", "trials of a size, and the newest of them")
                                            .arg(engine::numberText(row->count), numberSign(row->newest)),
                              seconds > 0.0 ? engine::durationText(seconds) : none, devicesText(trials)},
                    .toolTip = isOne ? withItsTrial(newest.toolTip, rate, newest)
                                     : look.explained(togetherText(size))};
        row->row.isPale = trials.empty();
        const bool isRunning = !trials.empty() && trials.front()->isRunning();
        showState(row->row, newest, isRunning, snapshot, size.isRecommended);
        showExclusion(row->row, size.microBatchSize, isRunning, snapshot);
        row->sortKeys[Size] = qlonglong{size.microBatchSize};
        row->sortKeys[Result] = row->row.texts[Result];
        if (size.samplesPerSecond)
            row->sortKeys[Rate] = *size.samplesPerSecond;
        if (size.peakReservedBytes > 0)
            row->sortKeys[Memory] = qlonglong{size.peakReservedBytes};
        row->sortKeys[Trials] = row->newest;
        row->sortKeys[Took] = seconds;
        row->sortKeys[Device] = row->row.texts[Device];
        if (isOne)
            row->trials.clear();
        rows.push_back(std::move(row));
    }
    return rows;
}

bool TrialsModel::continuesWith(const SizeRows& wanted) const
{
    return std::ranges::all_of(m_sizes, [&](const auto& shown) {
        const auto found = std::ranges::find(wanted, shown->size, &SizeRow::size);
        return found != wanted.end() && (*found)->count >= shown->count &&
               (*found)->newest >= shown->newest &&
               (shown->trials.empty() || (*found)->trials.back().number == shown->trials.back().number);
    });
}

/// Updates the row of a size to \p wanted, one change at a time.
void TrialsModel::update(int row, SizeRow& wanted)
{
    SizeRow& shown = *m_sizes[static_cast<std::size_t>(row)];
    const QModelIndex parent = index(row, 0);
    const auto added = static_cast<int>(wanted.trials.size() - shown.trials.size());
    if (added > 0) {
        beginInsertRows(parent, 0, added - 1);
        shown.trials.insert(shown.trials.begin(), wanted.trials.begin(), wanted.trials.begin() + added);
        endInsertRows();
    }
    for (int trial = added; trial < rowCount(parent); ++trial) {
        TrialRow& shownTrial = shown.trials[static_cast<std::size_t>(trial)];
        TrialRow& wantedTrial = wanted.trials[static_cast<std::size_t>(trial)];
        if (shownTrial == wantedTrial)
            continue;
        shownTrial = std::move(wantedTrial);
        emit dataChanged(index(trial, 0, parent), index(trial, columns - 1, parent));
    }
    const bool isSame = shown.row == wanted.row && shown.sortKeys == wanted.sortKeys;
    shown.newest = wanted.newest;
    shown.count = wanted.count;
    if (isSame)
        return;
    shown.row = std::move(wanted.row);
    shown.sortKeys = std::move(wanted.sortKeys);
    emit dataChanged(parent, index(row, columns - 1));
}

void TrialsModel::display(const engine::Snapshot& snapshot, const engine::MemoryUnit& unit)
{
    if (m_columns.titles.at(Memory) != unit.name) {
        m_columns.titles[Memory] = unit.name;
        emit headerDataChanged(Qt::Horizontal, Memory, Memory);
    }
    SizeRows wanted = rowsOf(snapshot, unit);
    if (!continuesWith(wanted)) {
        beginResetModel();
        m_sizes = std::move(wanted);
        endResetModel();
        return;
    }
    for (std::size_t place = 0; place < wanted.size(); ++place) {
        const auto row = static_cast<int>(place);
        if (place < m_sizes.size() && m_sizes[place]->size == wanted[place]->size) {
            update(row, *wanted[place]);
            continue;
        }
        beginInsertRows({}, row, row);
        m_sizes.insert(m_sizes.begin() + row, std::move(wanted[place]));
        endInsertRows();
    }
}

QModelIndex TrialsModel::indexOf(std::int64_t microBatchSize) const
{
    const auto found = std::ranges::find(m_sizes, microBatchSize, &SizeRow::size);
    return found == m_sizes.end() ? QModelIndex() : index(static_cast<int>(found - m_sizes.begin()), 0);
}

QString TrialsModel::asText(const QModelIndexList& rows) const
{
    QStringList titles = m_columns.titles;
    titles.insert(Result, tr("Trial"));
    QStringList lines{titles.join(QLatin1Char('\t'))};
    for (const QModelIndex& index : rows) {
        const SizeRow* above = sizeAbove(index);
        const SizeRow& size = above ? *above : sizeRow(index.row());
        QStringList texts =
            above ? above->trials.at(static_cast<std::size_t>(index.row())).row.texts : size.row.texts;
        texts[Size] = engine::numberText(size.size);
        const bool isOne = above || size.count == 1;
        const int number = index.data(TrialRole).toInt();
        // A recalled trial has its day in this column.
        if (number > 0)
            texts[Trials] = above ? QString() : engine::numberText(size.count);
        texts.insert(Result, isOne && number > 0 ? engine::numberText(number) : QString());
        lines << texts.join(QLatin1Char('\t'));
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

const TrialsModel::SizeRow* TrialsModel::sizeAbove(const QModelIndex& index)
{
    return static_cast<const SizeRow*>(index.constInternalPointer());
}

QModelIndex TrialsModel::index(int row, int column, const QModelIndex& parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, parent.isValid() ? &sizeRow(parent.row()) : nullptr);
}

QModelIndex TrialsModel::parent(const QModelIndex& child) const
{
    const SizeRow* size = child.isValid() ? sizeAbove(child) : nullptr;
    return size ? indexOf(size->size) : QModelIndex();
}

int TrialsModel::rowCount(const QModelIndex& parent) const
{
    if (!parent.isValid())
        return static_cast<int>(m_sizes.size());
    if (sizeAbove(parent) || parent.column() > 0)
        return 0;
    return static_cast<int>(sizeRow(parent.row()).trials.size());
}

int TrialsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() && sizeAbove(parent) ? 0 : columns;
}

QVariant TrialsModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const SizeRow* above = sizeAbove(index);
    const SizeRow& size = above ? *above : sizeRow(index.row());
    const TrialRow* trial = above ? &above->trials.at(static_cast<std::size_t>(index.row())) : nullptr;
    switch (role) {
    case SortRole:
        return trial ? QVariant() : size.sortKeys.at(static_cast<std::size_t>(index.column()));
    case SizeRole:
        return qlonglong{size.size};
    case TrialRole:
        return trial ? trial->number : size.newest;
    case Qt::ForegroundRole:
        if (trial && index.column() == Size)
            return m_columns.theme.mutedText;
        break;
    default:
        break;
    }
    return m_columns.data(trial ? trial->row : size.row, index.column(), role);
}

QVariant TrialsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Horizontal && role == Qt::InitialSortOrderRole)
        return isBestLargest(section) ? Qt::DescendingOrder : Qt::AscendingOrder;
    if (orientation == Qt::Horizontal && role == Qt::ToolTipRole && section == Trials)
        return tr("How many trials a size has had, and the newest of them, by which this column sorts");
    return m_columns.headerData(section, orientation, role);
}

} // namespace batchpeak::ui
