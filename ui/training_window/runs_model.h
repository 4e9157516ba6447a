// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "charts/run_plot.h"
#include "theme/theme.h"
#include "training/training_snapshot.h"

#include <QAbstractTableModel>
#include <QPixmap>

#include <array>
#include <optional>
#include <vector>

namespace batchpeak::ui {

/// The runs that can be compared, newest first: the present one, and the kept earlier ones, each with its
/// size, its result and its settings. Kept runs can be hidden and removed; the oldest is removed if there are
/// more than a chart can show.
class RunsModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column { Name, Size, Speed, Loss, Result, Settings, Columns };

    explicit RunsModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

    void setTheme(const Theme& theme);
    /// Shows the run that is under way, or that ended last; it has no row until it has a step.
    void display(const training::TrainingSnapshot& present);
    /// Keeps the present run, which another run replaces; a run without a step is discarded.
    void keep(const training::TrainingSnapshot& present);
    /// Adds a stored run; one without a step is ignored.
    /// \param name  name that replaces its number
    void add(const training::TrainingSnapshot& snapshot, const QString& name);
    /// \param row  row of a kept run; any other row is ignored
    void remove(int row);
    bool isKept(int row) const;
    /// Returns the runs that are kept and not hidden, oldest first.
    const std::vector<ComparedRun>& shown() const { return m_shown; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

signals:
    /// The set of runs to show in the charts has changed.
    void shownChanged();

private:
    /// The texts of a row, by column.
    using Texts = std::array<QString, Columns>;
    struct Kept
    {
        ComparedRun run;
        Texts texts;
        bool isShown = true;
    };

    void setPresent(const std::optional<Texts>& texts);
    void tellShown();
    int freePattern() const;
    /// Returns the index of a kept run in m_kept; nothing for the present one.
    std::optional<std::size_t> placeOf(int row) const;
    int rowOf(std::size_t place) const;
    QPixmap signOf(const Kept& kept) const;

    Theme m_theme = Theme::light();
    /// Nothing if the present run has no step.
    std::optional<Texts> m_present;
    /// Kept runs, oldest first.
    std::vector<Kept> m_kept;
    std::vector<ComparedRun> m_shown;
    /// Number of the present run, counted from 1.
    int m_number = 1;
};

/// Returns the settings of a run, without its size, on one line: "batch 1,536, learning rate 0.0003, bf16,
/// adamw, ..."
QString settingsText(const training::TrainingSnapshot& snapshot);
/// "completed", "stopped", "diverged", "out of memory", "failed", "running"
QString resultText(const training::TrainingSnapshot& snapshot);

} // namespace batchpeak::ui
