// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/rows.h"
#include "support/test_main.h"

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

/// Tests "batchpeak inspect --as-yaml FILE", which prints a config of another format as one of our own.
class InspectAsYamlTest : public QObject
{
    Q_OBJECT

private slots:
    void keepsTheNetworkAndTheRun_data()
    {
        const auto add = rows<const char*>();
        for (const char* name :
             {"gpt2-tiny", "llama-tiny", "t5-tiny", "bert-tiny", "vit-tiny", "resnet18-tiny"})
            add(name, name);
    }
    void keepsTheNetworkAndTheRun()
    {
        const QString file = examplePath(row<const char*>()) + QStringLiteral(".yaml");
        const ProgramRun yaml = inspect(file, "--as-yaml");
        QVERIFY2(yaml.succeeded(), yaml.text());
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("own.yaml"));
        QVERIFY(!yaml.out.isEmpty() && writeBytes(path, yaml.out.toUtf8()));

        const ProgramRun before = inspect(file);
        const ProgramRun after = inspect(path);
        QVERIFY2(after.succeeded(), after.text());
        QCOMPARE(lineOf(after.out, QStringLiteral("format")), QStringLiteral("Batchpeak"));
        for (const char* title : {"network", "parameters", "shape", "run"}) {
            const QString name = QString::fromLatin1(title);
            QCOMPARE(lineOf(after.out, name), lineOf(before.out, name));
        }
        // The key differs, but its value is the same.
        const QString setting = QStringLiteral("train micro-batch");
        QCOMPARE(lineOf(after.out, setting).section(QStringLiteral(": "), 1),
                 lineOf(before.out, setting).section(QStringLiteral(": "), 1));
    }

    void needsANetwork()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("ds.json"));
        QVERIFY(writeBytes(path, "{\"train_micro_batch_size_per_gpu\": 4}"));
        const ProgramRun run = inspect(path, "--as-yaml");
        QCOMPARE(run.exitCode, 1);
        QVERIFY2(run.remarks("--model"), run.text());
        QVERIFY2(run.out.isEmpty(), run.text());

        const ProgramRun withModel = inspect(path, "--as-yaml --model gpt2");
        QVERIFY2(withModel.succeeded({"family: gpt2"}), withModel.text());
    }

private:
    static ProgramRun inspect(const QString& file, const char* options = "")
    {
        return runProgram(QStringList{QStringLiteral("inspect"), file} + words(options));
    }
};

BATCHPEAK_TEST(InspectAsYamlTest)
#include "tst_inspect_as_yaml.moc"
