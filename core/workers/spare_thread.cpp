// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "spare_thread.h"

#include <QCoreApplication>

namespace batchpeak::engine {

namespace {

struct Translated
{
    Q_DECLARE_TR_FUNCTIONS(batchpeak::engine::SpareThread)
};

} // namespace

QString noThreadText(const QString& instead)
{
    return Translated::tr("The system gives this program no more threads; a limit of processes (ulimit -u, "
                          "docker --pids-limit) may be reached. %1")
        .arg(instead);
}

} // namespace batchpeak::engine
