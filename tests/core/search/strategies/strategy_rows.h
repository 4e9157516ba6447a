// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/strategy_factory.h"

#include <QTest>

/// A row for each strategy there is, with its name.
inline void addStrategies()
{
    QTest::addColumn<QString>("name");
    for (const std::string_view view : batchpeak::search::strategyNames()) {
        const std::string name(view);
        QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }
}

/// Whether a strategy looks for the fastest size, among those that probably fit, on all devices and until it
/// is confident. The others look for the largest that fits, one trial after another, and then end.
inline bool looksForTheFastest(const QString& name)
{
    return name == QStringLiteral("posterior") || name == QStringLiteral("ramp");
}
