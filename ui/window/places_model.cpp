// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "places_model.h"

#include "options/place.h"
#include "text/escaped_text.h"
#include "text/readable_text.h"
#include "theme/glyphs.h"
#include "widgets/plain_text.h"
#include "workers/place_bundle.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <utility>

namespace batchpeak::ui {

namespace {

using engine::Connection;
using engine::PlaceReport;

/// Whether the options mean this place.
bool isMeant(const QString& place, const QString& name, const QString& text)
{
    return place == text || (!name.isEmpty() && place == name);
}

/// Returns a text from elsewhere as it may be shown.
QString shown(const QString& text)
{
    return engine::escapeControls(text);
}

/// "cuda:0  NVIDIA H200" and "139 GiB of 140 GiB free"; alike devices together: "4 × NVIDIA H200".
QString devicesIn(const PlaceReport& report)
{
    struct Group
    {
        QStringList ids;
        std::int64_t leastFree = 0;
    };
    using Key = std::pair<QString, std::int64_t>;
    std::vector<std::pair<Key, Group>> groups;
    for (const auto& [id, device] : report.devices) {
        const Key key(QString::fromStdString(device.name), device.totalBytes);
        auto group = std::ranges::find(groups, key, &std::pair<Key, Group>::first);
        if (group == groups.end())
            group = groups.insert(groups.end(), {key, {.leastFree = device.freeBytes}});
        group->second.ids << id;
        group->second.leastFree = std::min(group->second.leastFree, device.freeBytes);
    }
    QStringList lines;
    for (const auto& [key, group] : groups) {
        const auto& [name, total] = key;
        const QString ids = shown(group.ids.join(QLatin1String(", ")));
        lines << (name.isEmpty()          ? ids
                  : group.ids.size() == 1 ? QStringLiteral("%1  %2").arg(ids, shown(name))
                                          : QStringLiteral("%1 × %2").arg(group.ids.size()).arg(shown(name)));
        const QString free = engine::memoryText(static_cast<double>(group.leastFree));
        const QString all = engine::memoryText(static_cast<double>(total));
        if (total <= 0)
            continue;
        lines << (group.leastFree <= 0    ? PlacesModel::tr("%1, free memory unknown").arg(all)
                  : group.ids.size() == 1 ? PlacesModel::tr("%1 of %2 free").arg(free, all)
                                          : PlacesModel::tr("each at least %1 of %2 free").arg(free, all));
    }
    return lines.join(QLatin1Char('\n'));
}

QString timeText(const QDateTime& time)
{
    const QString format =
        time.date() == QDate::currentDate() ? QStringLiteral("HH:mm:ss") : QStringLiteral("yyyy-MM-dd HH:mm");
    return time.toString(format);
}

} // namespace

PlacesModel::PlacesModel(QObject* parent) : QAbstractTableModel(parent)
{
    m_rows.push_back(std::make_unique<Row>());
    m_rows.front()->isChosen = true;
}

PlacesModel::~PlacesModel() = default;

void PlacesModel::setTheme(const Theme& theme)
{
    m_theme = theme;
    emit dataChanged(index(0, 0), index(rowCount() - 1, Columns - 1));
}

void PlacesModel::reload()
{
    const QMap<QString, QString> saved = engine::savedPlaces();
    beginResetModel();
    auto before = std::exchange(m_rows, {});
    m_rows.push_back(std::move(before.front()));
    const auto take = [&](const QString& name, const QString& text) {
        const auto known = std::ranges::find_if(
            before, [&](const auto& row) { return row && row->name == name && row->text == text; });
        m_rows.push_back(known == before.end() ? std::make_unique<Row>() : std::move(*known));
        m_rows.back()->name = name;
        m_rows.back()->text = text;
    };
    for (auto place = saved.begin(); place != saved.end(); ++place)
        take(place.key(), place.value());
    for (auto& row : before) {
        // What the options name without having saved it.
        if (row && row->name.isEmpty() && row->isChosen)
            m_rows.push_back(std::move(row));
    }
    endResetModel();
    emit changed();
}

void PlacesModel::setChosen(const QStringList& places)
{
    for (const auto& row : m_rows)
        row->isChosen = false;
    reload();
    beginResetModel();
    row(0).isChosen = places.isEmpty();
    for (const QString& place : places) {
        const auto meant = std::ranges::find_if(m_rows, [&](const auto& row) {
            return !row->text.isEmpty() && isMeant(place, row->name, row->text);
        });
        if (meant != m_rows.end()) {
            (*meant)->isChosen = true;
            continue;
        }
        m_rows.push_back(std::make_unique<Row>());
        m_rows.back()->text = place;
        m_rows.back()->isChosen = true;
    }
    endResetModel();
    emit changed();
}

QStringList PlacesModel::chosen() const
{
    QStringList places;
    for (const auto& row : m_rows) {
        if (row->isChosen && !row->text.isEmpty())
            places << (row->name.isEmpty() ? row->text : row->name);
    }
    return places;
}

void PlacesModel::setChoosable(bool isChoosable)
{
    m_isChoosable = isChoosable;
    emit dataChanged(index(0, Name), index(rowCount() - 1, Name));
}

int PlacesModel::rowOf(const QString& name) const
{
    const auto row = std::ranges::find_if(
        m_rows, [&](const auto& candidate) { return !name.isEmpty() && candidate->name == name; });
    return row == m_rows.end() ? 0 : static_cast<int>(row - m_rows.begin());
}

bool PlacesModel::canRemove(int place) const
{
    return place > 0 && !row(place).name.isEmpty();
}

void PlacesModel::remove(int place)
{
    if (!canRemove(place))
        return;
    engine::removePlace(row(place).name);
    const bool wasChosen = row(place).isChosen;
    reload();
    if (wasChosen && chosen().isEmpty())
        setData(index(0, Name), Qt::Checked, Qt::CheckStateRole);
}

bool PlacesModel::isBusy(int place) const
{
    return row(place).test || row(place).sending;
}

void PlacesModel::test(int place)
{
    if (isBusy(place))
        return;
    Row& tested = row(place);
    tested.sendProblem.clear();
    tested.connection = {.state = Connection::State::Asking};
    tested.test = std::make_unique<engine::PlaceTest>(tested.name.isEmpty() ? tested.text : tested.name,
                                                      QCoreApplication::applicationDirPath());
    connect(tested.test.get(), &engine::PlaceTest::connectionChanged, this,
            [this, &tested](const Connection& connection) {
                tested.connection = connection;
                tell(tested);
            });
    connect(tested.test.get(), &engine::PlaceTest::answered, this,
            [this, &tested](const PlaceReport& report) { takeAnswer(tested, report); });
    tested.test->start();
    tell(tested);
}

void PlacesModel::takeAnswer(Row& row, const PlaceReport& report)
{
    // The answer comes from it.
    row.test.release()->deleteLater();
    row.report = report;
    row.answered = QDateTime::currentDateTime();
    tell(row);
}

void PlacesModel::cancel(int place)
{
    if (!isBusy(place))
        return;
    row(place).test.reset();
    row(place).sending.reset();
    tell(row(place));
}

bool PlacesModel::hasBundle()
{
    return !engine::bundleArchive(QCoreApplication::applicationDirPath()).isEmpty();
}

bool PlacesModel::canSend(int place) const
{
    const auto& report = row(place).report;
    return report && report->lacksBundle && !isBusy(place) && hasBundle();
}

void PlacesModel::send(int place)
{
    if (!canSend(place))
        return;
    Row& there = row(place);
    there.sendProblem.clear();
    there.sending = std::make_unique<engine::BackgroundThread>();
    there.sending->run([where = engine::placeFromText(there.text),
                        archive = engine::bundleArchive(QCoreApplication::applicationDirPath())](
                           const std::stop_token& stop) { return engine::sendBundle(where, archive, stop); },
                       [this, &there](const engine::SentBundle& sent) {
                           // Its own thread delivers the answer.
                           QMetaObject::invokeMethod(
                               this,
                               [this, &there, sent] {
                                   const int now = placeOf(there);
                                   if (now < 0)
                                       return;
                                   there.sending.reset();
                                   there.sendProblem = sent.problem;
                                   tell(there);
                                   if (sent.problem.isEmpty())
                                       test(now);
                               },
                               Qt::QueuedConnection);
                       });
    tell(there);
}

int PlacesModel::placeOf(const Row& row) const
{
    const auto place =
        std::ranges::find_if(m_rows, [&](const auto& candidate) { return candidate.get() == &row; });
    return place == m_rows.end() ? -1 : static_cast<int>(place - m_rows.begin());
}

void PlacesModel::tell(const Row& row)
{
    const int place = placeOf(row);
    if (place < 0)
        return;
    emit dataChanged(index(place, 0), index(place, Columns - 1));
    emit changed();
}

QString PlacesModel::devicesText(const QString& place) const
{
    for (const auto& row : m_rows) {
        if (!row->text.isEmpty() && isMeant(place, row->name, row->text) && row->report)
            return devicesIn(*row->report);
    }
    return {};
}

QString PlacesModel::titleOf(const Row& row) const
{
    if (row.text.isEmpty())
        return tr("This computer");
    return row.name.isEmpty() ? tr("not saved") : row.name;
}

QString PlacesModel::stateText(const Row& row) const
{
    if (row.sending)
        return tr("sending the bundle…");
    if (row.test)
        return engine::connectionText(row.connection) + QStringLiteral("…");
    QStringList lines;
    if (!row.report)
        lines << tr("not tested yet");
    else
        lines << (row.report->runsTrials() ? tr("can run trials (%1)") : tr("cannot run trials (%1)"))
                     .arg(timeText(row.answered));
    if (!row.sendProblem.isEmpty())
        lines << shown(row.sendProblem);
    else if (row.report) {
        for (const QString& problem : row.report->problems)
            lines << shown(problem);
    }
    return lines.join(QLatin1Char('\n'));
}

QString PlacesModel::textOf(const Row& row, int column) const
{
    switch (column) {
    case Name:
        return titleOf(row);
    case Text:
        return shown(row.text);
    case Devices:
        return row.report ? devicesIn(*row.report) : QString();
    case Programs: {
        QStringList lines;
        if (row.report) {
            for (const QString& program : row.report->programs)
                lines << shown(program);
        }
        return lines.join(QLatin1Char('\n'));
    }
    case State:
        return stateText(row);
    default:
        return {};
    }
}

QString PlacesModel::rowText(int place) const
{
    QStringList lines;
    for (int column = 0; column < Columns; ++column)
        lines << textOf(row(place), column);
    lines.removeAll(QString());
    return lines.join(QLatin1Char('\n'));
}

int PlacesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int PlacesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : Columns;
}

QVariant PlacesModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Row& shownRow = row(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return textOf(shownRow, index.column());
    case Qt::ToolTipRole:
        return plainToolTip(textOf(shownRow, index.column()));
    case Qt::CheckStateRole:
        return m_isChoosable && index.column() == Name
                   ? QVariant(static_cast<int>(shownRow.isChosen ? Qt::Checked : Qt::Unchecked))
                   : QVariant();
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::ForegroundRole: {
        if (index.column() == State && shownRow.report && !isBusy(index.row()))
            return shownRow.report->runsTrials() && shownRow.sendProblem.isEmpty() ? m_theme.text
                                                                                   : m_theme.bad;
        return index.column() == Name ? m_theme.text : m_theme.mutedText;
    }
    default:
        return {};
    }
}

bool PlacesModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::CheckStateRole || index.column() != Name || !m_isChoosable)
        return false;
    const bool isChosen = value.toInt() == Qt::Checked;
    // This computer stands alone, and is what remains without a place.
    for (const auto& other : m_rows) {
        if (index.row() == 0 ? !other->text.isEmpty() : other->text.isEmpty())
            other->isChosen = false;
    }
    row(index.row()).isChosen = index.row() == 0 || isChosen;
    if (std::ranges::none_of(m_rows, [](const auto& other) { return other->isChosen; }))
        row(0).isChosen = true;
    emit dataChanged(this->index(0, Name), this->index(rowCount() - 1, Name));
    emit changed();
    return true;
}

QVariant PlacesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    static const std::array<QString, Columns> names{tr("Name"), tr("Place"), tr("Devices"),
                                                    tr("Runs trials with"), tr("State")};
    if (orientation != Qt::Horizontal || section < 0 || section >= Columns)
        return {};
    if (role == Qt::DisplayRole)
        return names[static_cast<std::size_t>(section)];
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::AlignLeft | Qt::AlignVCenter);
    return {};
}

Qt::ItemFlags PlacesModel::flags(const QModelIndex& index) const
{
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (index.isValid() && index.column() == Name && m_isChoosable)
        flags |= Qt::ItemIsUserCheckable;
    return flags;
}

} // namespace batchpeak::ui
