// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fidelity_chip.h"

#include "labels.h"
#include "text/fidelity_text.h"
#include "theme/theme.h"

#include <QStyle>

namespace batchpeak::ui {

FidelityChip::FidelityChip(QWidget* parent) : QLabel(parent)
{
    setProperty("chip", QStringLiteral("plain"));
    setFont(scaled(font(), 0.9));
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    hide();
}

void FidelityChip::display(const std::optional<config::Fidelity>& fidelity)
{
    setVisible(fidelity.has_value());
    if (!fidelity)
        return;
    setTextIfNew(this, engine::fidelityName(*fidelity));
    setToolTip(engine::fidelitySentence(*fidelity));
    setAccessibleName(engine::fidelitySentence(*fidelity));
    const QString kind = fidelity->hasCaveat() ? QStringLiteral("warn") : QStringLiteral("plain");
    if (property("chip").toString() == kind)
        return;
    setProperty("chip", kind);
    // Qt polishes a widget once, and not after a change of a property that the style sheet uses.
    style()->unpolish(this);
    style()->polish(this);
}

} // namespace batchpeak::ui
