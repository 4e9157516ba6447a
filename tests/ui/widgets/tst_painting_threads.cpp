// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/no_threads.h"
#include "support/test_main.h"
#include "widgets/painting_threads.h"

#include <QImage>
#include <QPainter>
#include <QTest>

class PaintingThreadsTest : public QObject
{
    Q_OBJECT

private slots:
    // Without keepPaintingThreads(), Qt would wait forever for a thread.
    void paintsIfNoThreadCanBeCreated()
    {
        batchpeak::ui::keepPaintingThreads();
        // The image is as large as a window, which Qt paints in parts.
        QImage image(1440, 900, QImage::Format_ARGB32_Premultiplied);
        image.fill(Qt::transparent);
        const batchpeak::test::NoThreads none;
        QPainter painter(&image);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(QColor(1, 2, 3, 128));
        painter.drawEllipse(image.rect());
        painter.end();
        QCOMPARE(image.pixelColor(720, 450).alpha(), 128);
    }
};

BATCHPEAK_TEST(PaintingThreadsTest)
#include "tst_painting_threads.moc"
