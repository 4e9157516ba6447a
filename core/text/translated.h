// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>

namespace batchpeak::engine {

/// Translates sentences of functions that belong to no QObject: Translated::tr("...").
struct Translated
{
    Q_DECLARE_TR_FUNCTIONS(batchpeak::engine::Translated)
};

} // namespace batchpeak::engine
