// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"
#include "workers/background_thread.h"
#include "workers/place_question.h"

#include <QAbstractTableModel>
#include <QDateTime>
#include <QMap>
#include <QStringList>

#include <memory>
#include <optional>
#include <vector>

namespace batchpeak::ui {

/// This computer and the saved places, with what each said when it was last tested, and which of them are
/// chosen for an exploration.
///
/// It asks a place only on request, in the background, and keeps the answers as long as it exists. Nothing is
/// chosen beside this computer, and without any place it is this computer.
class PlacesModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column { Name, Text, Devices, Programs, State, Columns };

    explicit PlacesModel(QObject* parent = nullptr);
    ~PlacesModel() override;

    void setTheme(const Theme& theme);
    /// Reads the saved places again. Answers are kept by the texts of the places.
    void reload();

    /// Sets the places that are chosen, by name or text; those that are not saved get a row.
    void setChosen(const QStringList& places);
    /// Returns the names of the chosen places, the texts of those without a name; empty for this computer.
    QStringList chosen() const;
    /// Whether rows have check boxes.
    void setChoosable(bool isChoosable);

    /// Returns the row of the saved place of that name; 0 if there is none.
    int rowOf(const QString& name) const;
    bool canRemove(int row) const;
    void remove(int row);

    /// Whether the place is being tested, or is being sent a bundle.
    bool isBusy(int row) const;
    void test(int row);
    /// Ends what the place is busy with; an earlier answer stays.
    void cancel(int row);
    /// Whether this program has a bundle to send.
    static bool hasBundle();
    /// Whether the last test has found that a bundle is missing there, and this program has one.
    bool canSend(int row) const;
    /// Sends the bundle, and tests the place again then.
    void send(int row);
    /// Whether the place has ever answered here.
    bool isTested(int row) const { return m_rows[static_cast<std::size_t>(row)]->report.has_value(); }

    /// Returns what is known of the devices of a place that options name; empty before its test.
    QString devicesText(const QString& place) const;
    /// Returns a row as it can be pasted, with a line for each column.
    QString rowText(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

signals:
    /// The set of chosen places, or the state of a row has changed.
    void changed();

private:
    struct Row
    {
        /// Empty for this computer, and for a place that is not saved.
        QString name;
        /// Empty for this computer.
        QString text;
        bool isChosen = false;
        std::optional<engine::PlaceReport> report;
        QDateTime answered;
        std::unique_ptr<engine::PlaceTest> test;
        engine::Connection connection;
        /// Sends a bundle; null if none is being sent.
        std::unique_ptr<engine::BackgroundThread> sending;
        /// Why the bundle was not sent; empty if it was, or was never to be.
        QString sendProblem;
    };

    Row& row(int place) { return *m_rows[static_cast<std::size_t>(place)]; }
    const Row& row(int place) const { return *m_rows[static_cast<std::size_t>(place)]; }
    int placeOf(const Row& row) const;
    void takeAnswer(Row& row, const engine::PlaceReport& report);
    void tell(const Row& row);
    QString titleOf(const Row& row) const;
    QString stateText(const Row& row) const;
    QString textOf(const Row& row, int column) const;

    Theme m_theme = Theme::light();
    bool m_isChoosable = false;
    /// The first one is this computer.
    std::vector<std::unique_ptr<Row>> m_rows;
};

} // namespace batchpeak::ui
