// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot.h"

namespace batchpeak::engine {

QString toText(FinishStatus status)
{
    switch (status) {
    case FinishStatus::Confident:
        return QStringLiteral("confident");
    case FinishStatus::Exhausted:
        return QStringLiteral("exhausted");
    case FinishStatus::Budget:
        return QStringLiteral("budget");
    case FinishStatus::Cancelled:
        return QStringLiteral("cancelled");
    case FinishStatus::NothingFits:
        return QStringLiteral("nothing_fits");
    case FinishStatus::Failed:
        break;
    }
    return QStringLiteral("failed");
}

} // namespace batchpeak::engine
