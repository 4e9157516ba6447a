// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace {

QString lineOf(const QString& text, const QString& title)
{
    const QStringList lines = text.split(QLatin1Char('\n'));
    for (const QString& line : lines) {
        if (line.startsWith(title + QLatin1String("  ")))
            return line.mid(title.size()).trimmed();
    }
    return {};
}

} // namespace

/// "batchpeak inspect --as-yaml FILE": a config of another format as one of our own.
class InspectAsYamlTest : public QObject
{
    Q_OBJECT

private slots:
    void isTheSameNetworkAndRun_data()
    {
        QTest::addColumn<QString>("file");
        for (const char* name :
             {"gpt2-tiny", "llama-tiny", "t5-tiny", "bert-tiny", "vit-tiny", "resnet18-tiny"})
            QTest::newRow(name) << examplePath(QString::fromLatin1(name) + QStringLiteral(".yaml"));
    }
    void isTheSameNetworkAndRun()
    {
        QFETCH(QString, file);
        const ProgramRun yaml = runProgram({QStringLiteral("inspect"), file, QStringLiteral("--as-yaml")});
        QVERIFY2(yaml.exitCode == 0, yaml.text());
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("own.yaml"));
        QFile own(path);
        QVERIFY(own.open(QIODevice::WriteOnly) && own.write(yaml.out.toUtf8()) > 0);
        own.close();

        const ProgramRun before = runProgram({QStringLiteral("inspect"), file});
        const ProgramRun after = runProgram({QStringLiteral("inspect"), path});
        QVERIFY2(after.exitCode == 0, after.text());
        QCOMPARE(lineOf(after.out, QStringLiteral("format")), QStringLiteral("Batchpeak"));
        for (const char* title : {"network", "parameters", "shape", "run"}) {
            const QString name = QString::fromLatin1(title);
            QCOMPARE(lineOf(after.out, name), lineOf(before.out, name));
        }
        // Another key, but the same question.
        const QString setting = QStringLiteral("train micro-batch");
        QCOMPARE(lineOf(after.out, setting).section(QStringLiteral(": "), 1),
                 lineOf(before.out, setting).section(QStringLiteral(": "), 1));
    }

    void needsANetwork()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("ds.json"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("{\"train_micro_batch_size_per_gpu\": 4}") > 0);
        file.close();
        const ProgramRun run = runProgram({QStringLiteral("inspect"), path, QStringLiteral("--as-yaml")});
        QCOMPARE(run.exitCode, 1);
        QVERIFY2(run.err.contains(QStringLiteral("--model FILE")), run.text());
        QVERIFY2(run.out.isEmpty(), run.text());

        const ProgramRun withModel = runProgram({QStringLiteral("inspect"), path, QStringLiteral("--as-yaml"),
                                                 QStringLiteral("--model"), QStringLiteral("gpt2")});
        QVERIFY2(withModel.exitCode == 0, withModel.text());
        QVERIFY2(withModel.out.contains(QStringLiteral("family: gpt2")), withModel.text());
    }
};

BATCHPEAK_TEST(InspectAsYamlTest)
#include "tst_inspect_as_yaml.moc"
