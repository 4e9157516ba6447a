// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/fidelity.h"

#include <QLabel>

#include <optional>

namespace batchpeak::ui {

/// A word on how near the numbers are to the run that the config describes, with the reasons as its tool tip.
/// It words a label that others have found.
class FidelityChip : public QLabel
{
    Q_OBJECT

public:
    explicit FidelityChip(QWidget* parent = nullptr);

    /// \param fidelity  nothing where there are no numbers to be had: it is hidden then
    void display(const std::optional<config::Fidelity>& fidelity);
};

} // namespace batchpeak::ui
