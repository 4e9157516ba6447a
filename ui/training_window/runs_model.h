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

/// The runs that can be compared, newest first: the present one, and those before it that are kept, each with
/// its size, what came of it and how it was set. Kept ones can be hidden and removed; the oldest goes when
/// there are more than a chart can show.
class RunsModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column { Name, Size, Speed, Loss, Result, Settings, Columns };

    explicit RunsModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

    void setTheme(const Theme& theme);
    /// The run that is under way, or ended last; it has no row while it has no step.
    void display(const training::TrainingSnapshot& present);
    /// Keeps the present run, which another one takes the place of; one without a step is forgotten.
    void keep(const training::TrainingSnapshot& present);
    /// A run of another time.
    /// \param name  in place of its number
    void add(const training::TrainingSnapshot& snapshot, const QString& name);
    /// \param row  of a kept run; else nothing is done
    void remove(int row);
    bool isKept(int row) const;
    /// Those kept and not hidden, the oldest first.
    const std::vector<ComparedRun>& shown() const { return m_shown; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

signals:
    /// Other runs are to be seen in the charts.
    void shownChanged();

private:
    /// The words of a row, but for its name.
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
    /// Place of a kept run in m_kept; nothing for the present one.
    std::optional<std::size_t> placeOf(int row) const;
    int rowOf(std::size_t place) const;
    QPixmap signOf(const Kept& kept) const;

    Theme m_theme = Theme::light();
    /// Nothing without a step.
    std::optional<Texts> m_present;
    /// The oldest first.
    std::vector<Kept> m_kept;
    std::vector<ComparedRun> m_shown;
    /// Of the present run, from 1.
    int m_number = 1;
};

/// How a run was set beside its size, in one line: "batch 1,536, learning rate 0.0003, bf16, adamw, ..."
QString settingsText(const training::TrainingSnapshot& snapshot);
/// "completed", "stopped", "diverged", "out of memory", "failed", "running"
QString resultText(const training::TrainingSnapshot& snapshot);

} // namespace batchpeak::ui
