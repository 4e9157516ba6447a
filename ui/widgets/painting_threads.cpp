// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "painting_threads.h"

#include <QThreadPool>
#include <QtGlobal>

namespace batchpeak::ui {

void keepPaintingThreads()
{
    // Newer Qt has a separate pool for painting, which this variable disables.
    qputenv("QT_NO_GUI_THREADPOOL", "1");
    QThreadPool* pool = QThreadPool::globalInstance();
    pool->setMaxThreadCount(1);
    pool->setExpiryTimeout(-1);
    pool->start([] {});
}

} // namespace batchpeak::ui
