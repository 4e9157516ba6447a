// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text_change.h"

#include <QTest>

#include <string>

using namespace batchpeak::ui;

class TextChangeTest : public QObject
{
    Q_OBJECT

private slots:
    void findsTheLinesThatDiffer_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        QTest::addColumn<int>("line");
        QTest::addColumn<QStringList>("old");
        QTest::addColumn<QStringList>("fresh");
        const QStringList none;
        QTest::newRow("nothing") << QByteArray("a\nb\n") << QByteArray("a\nb\n") << 0 << none << none;
        QTest::newRow("replaced") << QByteArray("a: 1\nm: 4\nz: 1\n") << QByteArray("a: 1\nm: 8\nz: 1\n") << 2
                                  << QStringList{QStringLiteral("m: 4")}
                                  << QStringList{QStringLiteral("m: 8")};
        QTest::newRow("inserted") << QByteArray("a: 1\nz: 1\n") << QByteArray("a: 1\nm: 8\nz: 1\n") << 2
                                  << none << QStringList{QStringLiteral("m: 8")};
        QTest::newRow("inserted like its neighbour") << QByteArray("a\na\n") << QByteArray("a\na\na\n") << 3
                                                     << none << QStringList{QStringLiteral("a")};
        QTest::newRow("line ends of Windows")
            << QByteArray("a\r\nm: 4\r\n") << QByteArray("a\r\nm: 8\r\n") << 2
            << QStringList{QStringLiteral("m: 4")} << QStringList{QStringLiteral("m: 8")};
        QTest::newRow("at the end, without a line end")
            << QByteArray("a\nm: 4") << QByteArray("a\nm: 8") << 2 << QStringList{QStringLiteral("m: 4")}
            << QStringList{QStringLiteral("m: 8")};
    }
    void findsTheLinesThatDiffer()
    {
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, after);
        QFETCH(int, line);
        QFETCH(QStringList, old);
        QFETCH(QStringList, fresh);
        const TextChange change = changeBetween(before.toStdString(), after.toStdString());
        QCOMPARE(change.line, line);
        QCOMPARE(change.before, old);
        QCOMPARE(change.after, fresh);
    }
};

QTEST_APPLESS_MAIN(TextChangeTest)
#include "tst_text_change.moc"
