// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/fidelity.h"

#include <QLabel>

#include <optional>

namespace batchpeak::ui {

/// A word on how close the numbers are to the run that the config describes, with the reasons as its tool
/// tip. It formats a label that the caller determines.
class FidelityChip : public QLabel
{
    Q_OBJECT

public:
    explicit FidelityChip(QWidget* parent = nullptr);

    /// \param fidelity  nothing if there are no numbers: the chip is hidden then
    void display(const std::optional<config::Fidelity>& fidelity);
};

} // namespace batchpeak::ui
