// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"
#include "training/training_snapshot.h"

#include <QObject>

#include <array>
#include <cstdint>
#include <optional>

namespace batchpeak::ui {

class RunChart;
class RunKey;

/// Keeps the three charts of a training run in step: one axis of steps, one left margin, one hovered step. It
/// draws again only what has changed.
class RunCharts : public QObject
{
    Q_OBJECT

public:
    struct Part
    {
        RunChart* chart = nullptr;
        RunKey* key = nullptr;
    };

    RunCharts(const Part& loss, const Part& rate, const Part& schedule, QObject* parent = nullptr);

    void setTheme(const Theme& theme);
    void display(const training::TrainingSnapshot& snapshot);

private:
    void alignMargins();

    std::array<Part, 3> m_parts;
    int m_rightMargin = 0;
};

} // namespace batchpeak::ui
