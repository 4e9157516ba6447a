// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "observed_exploration.h"

namespace batchpeak::engine {

QDateTime ObservedExploration::eventTime() const
{
    return QDateTime::currentDateTimeUtc();
}

} // namespace batchpeak::engine
