// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/trusted_code.h"
#include "support/files.h"
#include "support/test_main.h"

#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

using namespace batchpeak;
using namespace batchpeak::engine;

class TrustedCodeTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

    void asksOnceOfEachContent()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("grow.py"));
        // Of this run of the test alone.
        const QByteArray code = "# " + folder.path().toUtf8() + "\n";
        test::writeFile(path, code);
        QVERIFY(!isTrusted(path));
        try {
            requireTrust(path, false);
            QFAIL("It was let run.");
        } catch (const UntrustedCode& error) {
            QCOMPARE(error.path(), path);
            QVERIFY(error.sentence().contains(path) &&
                    error.sentence().endsWith(QStringLiteral("add --trust.")));
        }
        requireTrust(path, true);
        requireTrust(path, false);
        // A copy is the same code, and another content is not.
        const QString copy = folder.filePath(QStringLiteral("copy.py"));
        test::writeFile(copy, code);
        QVERIFY(isTrusted(copy));
        test::writeFile(path, code + "import os\n");
        QVERIFY(!isTrusted(path));
    }

    void asksNothingWhereThereIsNoCode()
    {
        requireTrust({}, false);
        requireTrust(QStringLiteral("/no/such/file.py"), false);
        QCOMPARE(codeOf({.family = "gpt2", .architecture = model::DecoderSpec()}), QString());
        QCOMPARE(codeOf({.family = "torchscript", .architecture = model::ScriptSpec{.file = "/a.pt"}}),
                 QStringLiteral("/a.pt"));
    }
};

BATCHPEAK_TEST(TrustedCodeTest)
#include "tst_trusted_code.moc"
