// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs_model.h"

#include "text/fidelity_text.h"
#include "text/json_fields.h"
#include "text/readable_text.h"
#include "text/tuning_text.h"
#include "widgets/plain_text.h"

#include <QFileInfo>
#include <QLocale>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

namespace batchpeak::ui {

namespace {

using engine::numberText;
using training::StepRecord;
using training::TrainingEnd;
using training::TrainingSnapshot;

constexpr QSize signSize{28, 12};

QString lossOf(const TrainingSnapshot& snapshot)
{
    const double loss = snapshot.steps.back().loss;
    QString text = std::isfinite(loss) ? engine::lossText(loss) : RunsModel::tr("NaN");
    const bool holdsOut = snapshot.run && snapshot.run->heldOutSamples > 0;
    if (holdsOut && !snapshot.evaluations.empty())
        text += RunsModel::tr(" (%1)").arg(engine::lossText(snapshot.evaluations.back().loss));
    return text;
}

std::array<QString, RunsModel::Columns> textsOf(const TrainingSnapshot& snapshot)
{
    const StepRecord& last = snapshot.steps.back();
    std::array<QString, RunsModel::Columns> texts;
    texts[RunsModel::Size] =
        QStringLiteral("%1 × %2").arg(numberText(last.microBatchSize), numberText(last.accumulationSteps));
    texts[RunsModel::Speed] =
        (snapshot.run ? engine::speedMark(snapshot.run->run.fidelity) : QString()) +
        engine::rateText(snapshot.samplesPerSecond > 0.0 ? snapshot.samplesPerSecond : last.samplesPerSecond);
    texts[RunsModel::Loss] = lossOf(snapshot);
    texts[RunsModel::Result] = resultText(snapshot);
    texts[RunsModel::Settings] = settingsText(snapshot);
    return texts;
}

} // namespace

QString settingsText(const TrainingSnapshot& snapshot)
{
    if (!snapshot.run)
        return {};
    const auto& run = *snapshot.run;
    QStringList parts{RunsModel::tr("batch %1").arg(numberText(run.batchSize)),
                      RunsModel::tr("learning rate %1").arg(QLocale().toString(run.learningRate, 'g', 4)),
                      engine::enumText(run.run.precision), engine::enumText(run.run.optimizer)};
    if (const QString tuning = engine::tuningWord(run.run.tuning); !tuning.isEmpty())
        parts << tuning;
    if (run.run.sequenceLength > 0)
        parts << RunsModel::tr("sequence %1").arg(numberText(run.run.sequenceLength));
    if (run.halvesAutomatically)
        parts << RunsModel::tr("halved when memory runs out");
    if (!run.growth.isEmpty())
        parts << RunsModel::tr("grows by %1").arg(run.growth);
    parts << run.data;
    if (!run.run.filePath.isEmpty())
        parts << QFileInfo(run.run.filePath).fileName();
    parts << engine::fidelityText(run.run.fidelity);
    return parts.join(QStringLiteral(", "));
}

QString resultText(const TrainingSnapshot& snapshot)
{
    if (!snapshot.steps.empty() && !std::isfinite(snapshot.steps.back().loss))
        return RunsModel::tr("diverged");
    if (!snapshot.end)
        return RunsModel::tr("running");
    switch (*snapshot.end) {
    case TrainingEnd::Completed:
        return RunsModel::tr("%1 steps").arg(numberText(static_cast<qint64>(snapshot.steps.size())));
    case TrainingEnd::Interrupted:
        return RunsModel::tr("stopped at %1").arg(numberText(snapshot.lastStep()));
    case TrainingEnd::NothingFits:
        return RunsModel::tr("out of memory");
    case TrainingEnd::Failed:
        break;
    }
    return RunsModel::tr("failed at %1").arg(numberText(snapshot.lastStep()));
}

void RunsModel::setTheme(const Theme& theme)
{
    m_theme = theme;
    if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, Columns - 1));
}

void RunsModel::setPresent(const std::optional<Texts>& texts)
{
    if (texts == m_present)
        return;
    if (m_present && !texts) {
        beginRemoveRows({}, 0, 0);
        m_present.reset();
        endRemoveRows();
    } else if (!m_present) {
        beginInsertRows({}, 0, 0);
        m_present = texts;
        endInsertRows();
    } else {
        m_present = texts;
        emit dataChanged(index(0, 0), index(0, Columns - 1));
    }
}

void RunsModel::display(const TrainingSnapshot& present)
{
    if (present.steps.empty())
        return setPresent(std::nullopt);
    Texts texts = textsOf(present);
    texts[Name] = tr("run %1").arg(m_number);
    setPresent(texts);
}

void RunsModel::keep(const TrainingSnapshot& present)
{
    setPresent(std::nullopt);
    if (present.steps.empty())
        return;
    add(present, tr("run %1").arg(m_number));
    ++m_number;
}

void RunsModel::add(const TrainingSnapshot& snapshot, const QString& name)
{
    if (snapshot.steps.empty())
        return;
    if (m_kept.size() >= maxComparedRuns)
        remove(rowOf(0));
    Kept kept{.run = {.name = name,
                      .pattern = freePattern(),
                      .snapshot = std::make_shared<const TrainingSnapshot>(snapshot)},
              .texts = textsOf(snapshot)};
    kept.texts[Name] = name;
    const int row = m_present ? 1 : 0;
    beginInsertRows({}, row, row);
    m_kept.push_back(std::move(kept));
    endInsertRows();
    tellShown();
}

void RunsModel::remove(int row)
{
    const auto place = placeOf(row);
    if (!place)
        return;
    beginRemoveRows({}, row, row);
    m_kept.erase(m_kept.begin() + static_cast<std::ptrdiff_t>(*place));
    endRemoveRows();
    tellShown();
}

bool RunsModel::isKept(int row) const
{
    return placeOf(row).has_value();
}

void RunsModel::tellShown()
{
    m_shown.clear();
    for (const Kept& kept : m_kept) {
        if (kept.isShown)
            m_shown.push_back(kept.run);
    }
    emit shownChanged();
}

int RunsModel::freePattern() const
{
    std::set<int> taken;
    for (const Kept& kept : m_kept)
        taken.insert(kept.run.pattern);
    int pattern = 0;
    while (taken.contains(pattern))
        ++pattern;
    return pattern;
}

std::optional<std::size_t> RunsModel::placeOf(int row) const
{
    const int behindPresent = row - (m_present ? 1 : 0);
    if (behindPresent < 0 || behindPresent >= static_cast<int>(m_kept.size()))
        return std::nullopt;
    return m_kept.size() - 1 - static_cast<std::size_t>(behindPresent);
}

int RunsModel::rowOf(std::size_t place) const
{
    return static_cast<int>(m_kept.size() - 1 - place) + (m_present ? 1 : 0);
}

int RunsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_kept.size()) + (m_present ? 1 : 0);
}

int RunsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : Columns;
}

QPixmap RunsModel::signOf(const Kept& kept) const
{
    constexpr qreal pixelRatio = 2.0;
    QPixmap sign(signSize * pixelRatio);
    sign.setDevicePixelRatio(pixelRatio);
    sign.fill(Qt::transparent);
    const RunPlot::Series series{.pattern = kept.run.pattern};
    QPen pen(m_theme.mutedText, penWidthOf(series), Qt::SolidLine, Qt::FlatCap);
    pen.setDashPattern(dashesOf(series));
    QPainter painter(&sign);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(pen);
    const double middle = signSize.height() / 2.0;
    painter.drawLine(QPointF(0.0, middle), QPointF(signSize.width(), middle));
    return sign;
}

QVariant RunsModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const auto place = placeOf(index.row());
    const Texts& texts = place ? m_kept[*place].texts : *m_present;
    const auto column = static_cast<Column>(index.column());
    switch (role) {
    case Qt::DisplayRole:
        return texts[column];
    case Qt::ToolTipRole:
        return plainToolTip(texts[Settings]);
    case Qt::DecorationRole:
        return column == Name && place ? QVariant(signOf(m_kept[*place])) : QVariant();
    case Qt::CheckStateRole:
        return column == Name && place
                   ? QVariant(static_cast<int>(m_kept[*place].isShown ? Qt::Checked : Qt::Unchecked))
                   : QVariant();
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::AlignVCenter |
                                   (column == Speed || column == Loss ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::ForegroundRole:
        return place && !m_kept[*place].isShown ? QVariant(m_theme.mutedText) : QVariant();
    default:
        return {};
    }
}

bool RunsModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    const auto place = placeOf(index.row());
    if (role != Qt::CheckStateRole || index.column() != Name || !place)
        return false;
    m_kept[*place].isShown = value.toInt() == Qt::Checked;
    emit dataChanged(index, index.siblingAtColumn(Columns - 1));
    tellShown();
    return true;
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    static const std::array<QString, Columns> names{tr("Run"),  tr("Size"),   tr("samples/s"),
                                                    tr("Loss"), tr("Result"), tr("Settings")};
    if (orientation != Qt::Horizontal || section < 0 || section >= Columns)
        return {};
    if (role == Qt::DisplayRole)
        return names[static_cast<std::size_t>(section)];
    if (role == Qt::ToolTipRole && section == Loss)
        return tr("Of the last step; in brackets that of the last evaluation of held-out samples");
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::AlignVCenter |
                                   (section == Speed || section == Loss ? Qt::AlignRight : Qt::AlignLeft));
    return {};
}

Qt::ItemFlags RunsModel::flags(const QModelIndex& index) const
{
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (index.isValid() && index.column() == Name && placeOf(index.row()))
        flags |= Qt::ItemIsUserCheckable;
    return flags;
}

} // namespace batchpeak::ui
