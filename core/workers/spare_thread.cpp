// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "spare_thread.h"

#include "text/translated.h"

namespace batchpeak::engine {

QString noThreadText(const QString& instead)
{
    return Translated::tr("The system gives this program no more threads; a limit of processes (ulimit -u, "
                          "docker --pids-limit) may be reached. %1")
        .arg(instead);
}

} // namespace batchpeak::engine
