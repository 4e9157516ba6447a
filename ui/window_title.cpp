// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "window_title.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QStringList>

namespace batchpeak::ui {

QString windowTitleOf(const engine::Snapshot& snapshot)
{
    QStringList parts;
    if (snapshot.state == engine::State::Finished && snapshot.searchState.recommendation)
        parts << QStringLiteral("● %1").arg(snapshot.searchState.recommendation->size);
    if (snapshot.run)
        parts << QFileInfo(snapshot.run->filePath).fileName();
    parts << QCoreApplication::translate("WindowTitle", "Batchpeak");
    return parts.join(QStringLiteral(" – "));
}

} // namespace batchpeak::ui
