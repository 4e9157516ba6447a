// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/event_schema.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

namespace {

/// Returns the document that a command prints with --json; empty if the command fails or prints anything
/// else.
QJsonObject documentOf(const ProgramRun& run)
{
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(run.out.toUtf8(), &error);
    return run.exitCode == 0 && run.err.isEmpty() ? document.object() : QJsonObject();
}

/// Checks that the keys of an object, and of the objects in it, are in snake case.
void checkKeys(const QJsonValue& value)
{
    static const QRegularExpression snakeCase(QStringLiteral("^[a-z0-9]+(_[a-z0-9]+)*$"));
    if (value.isArray()) {
        for (const QJsonValue& element : value.toArray())
            checkKeys(element);
    }
    const QJsonObject object = value.toObject();
    for (auto entry = object.begin(); entry != object.end(); ++entry) {
        QVERIFY2(snakeCase.match(entry.key()).hasMatch(), qPrintable(entry.key()));
        checkKeys(entry.value());
    }
}

struct Export
{
    const char* options = "";
    const char* output = "";
    bool isWritten = false;
};

} // namespace

/// Tests what --json prints instead of lines for people.
class JsonOutputTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        m_environment.insert(QStringLiteral("XDG_DATA_HOME"), m_folder.path());
        m_environment.insert(QStringLiteral("LC_ALL"), QStringLiteral("de_DE.UTF-8"));
        for (const char* behavior : {"", "beta=0.01"}) {
            const ProgramRun run =
                runProgram(exploreArguments(behavior, words("--max-trials 3")), m_environment);
            QVERIFY2(run.succeeded(), run.text());
        }
    }

    void describesAConfig()
    {
        const QJsonObject document = run("inspect", {examplePath("gpt2-tiny.yaml")});
        QCOMPARE(document.value(QLatin1String("format")).toString(), QStringLiteral("Cerebras params"));
        const QJsonObject network = document.value(QLatin1String("network")).toObject();
        QCOMPARE(network.value(QLatin1String("parameters")).toInt(), 1071872);
        QVERIFY(network.value(QLatin1String("problem")).isNull());
        QCOMPARE(
            network.value(QLatin1String("architecture")).toObject().value(QLatin1String("heads")).toInt(), 4);
        const QJsonObject plan = document.value(QLatin1String("train")).toObject();
        QCOMPARE(plan.value(QLatin1String("batch_size")).toInt(), 256);
        QCOMPARE(plan.value(QLatin1String("setting")).toString(), QStringLiteral("explore"));
        QVERIFY(plan.contains(QLatin1String("micro_batch_size")));
        const QJsonObject place = document.value(QLatin1String("places"))
                                      .toObject()
                                      .value(QLatin1String("train_batch_size"))
                                      .toObject();
        QCOMPARE(place.value(QLatin1String("key")).toString(), QStringLiteral("train_input.batch_size"));
        QCOMPARE(place.value(QLatin1String("line")).toInt(), 6);
        QVERIFY(plan.value(QLatin1String("micro_batch_size")).isNull());
        checkKeys(document);
    }

    void reportsWhyANetworkCannotRun()
    {
        const QString path = m_folder.filePath(QStringLiteral("params.yaml"));
        QVERIFY(writeBytes(path, "train_input: {batch_size: 8, micro_batch_size: 4}\n"));
        const QJsonObject document = run("inspect", {path});
        const QJsonObject network = document.value(QLatin1String("network")).toObject();
        QVERIFY(network.value(QLatin1String("family")).isNull());
        QVERIFY(!network.value(QLatin1String("problem")).toString().isEmpty());
        QCOMPARE(document.value(QLatin1String("train"))
                     .toObject()
                     .value(QLatin1String("accumulation_steps"))
                     .toInt(),
                 2);
    }

    void listsDevices()
    {
        const QJsonObject document = run("devices", {});
        const QJsonArray devices = document.value(QLatin1String("devices")).toArray();
        QVERIFY(!devices.isEmpty());
        const QJsonObject last = devices.last().toObject();
        QCOMPARE(last.value(QLatin1String("id")).toString(), QStringLiteral("cpu"));
        QVERIFY(last.value(QLatin1String("total_bytes")).toDouble() > 0);
        QVERIFY(last.value(QLatin1String("driver")).isNull());
        checkKeys(document);
    }

    void listsTheHistory()
    {
        const QJsonArray list = run("history", {}).value(QLatin1String("explorations")).toArray();
        QCOMPARE(list.size(), 2);
        const QJsonObject newest = list.first().toObject();
        QCOMPARE(newest.value(QLatin1String("id")).toInt(), 2);
        // Three trials and a verification.
        QCOMPARE(newest.value(QLatin1String("trials")).toInt(), 4);
        QCOMPARE(newest.value(QLatin1String("status")).toString(), QStringLiteral("budget"));
        QVERIFY(newest.value(QLatin1String("recommendation"))
                    .toObject()
                    .value(QLatin1String("samples_per_second"))
                    .toDouble() > 0);
        QVERIFY(newest.value(QLatin1String("started")).toString().endsWith(QLatin1Char('Z')));
        checkKeys(list);
    }

    void showsOneExploration()
    {
        const QJsonObject shown = run("history", words("show 1"));
        const QJsonArray trials = shown.value(QLatin1String("trials_run")).toArray();
        QCOMPARE(trials.size(), 4);
        QStringList fields = trials.first().toObject().keys() + words("event time");
        fields.sort();
        QCOMPARE(fields, batchpeak::test::fieldsOfEvent(QStringLiteral("trial_finished")));
        QVERIFY(shown.value(QLatin1String("devices_used"))
                    .toArray()
                    .first()
                    .toObject()
                    .value(QLatin1String("limit_bytes"))
                    .toDouble() > 0);
        QVERIFY(!shown.value(QLatin1String("recommendations")).toArray().isEmpty());
        checkKeys(shown);
    }

    void comparesTwoExplorations()
    {
        const QJsonObject compared = run("history", words("compare 1 2"));
        QCOMPARE(compared.value(QLatin1String("explorations")).toArray().size(), 2);
        QVERIFY(compared.value(QLatin1String("relative_performance")).toDouble() > 0);
    }

    void reportsAnExport_data()
    {
        rows<Export>({{"nowhere", {}},
                      {"shown", {.options = "--in-place --diff", .output = "params.yaml"}},
                      {"in place", {.options = "--in-place", .output = "params.yaml", .isWritten = true}}});
    }
    void reportsAnExport()
    {
        const auto& [options, output, isWritten] = row<Export>();
        const QString path = m_folder.filePath(QStringLiteral("params.yaml"));
        const QByteArray before("train_input: {batch_size: 8, micro_batch_size: explore}\n");
        const QByteArray after("train_input: {batch_size: 8, micro_batch_size: 4}\n");
        QVERIFY(writeBytes(path, before));
        const QJsonObject document = run("export", QStringList{path} + words("--size 4") + words(options));
        QCOMPARE(document.value(QLatin1String("written")).toBool(), isWritten);
        QCOMPARE(QFileInfo(document.value(QLatin1String("output")).toString()).fileName(),
                 QString::fromUtf8(output));
        QCOMPARE(document.value(QLatin1String("micro_batch_size")).toInt(), 4);
        QCOMPARE(document.value(QLatin1String("accumulation_steps")).toInt(), 2);
        QCOMPARE(document.value(QLatin1String("batch_size")).toInt(), 8);
        QCOMPARE(document.value(QLatin1String("text")).toString().toUtf8(), after);
        QVERIFY(document.value(QLatin1String("diff")).toString().contains(QStringLiteral("\n-train_input")));
        QCOMPARE(bytesOf(path), isWritten ? after : before);
    }

    void listsFormats()
    {
        const QJsonArray formats = run("formats", {}).value(QLatin1String("formats")).toArray();
        QCOMPARE(formats.size(), 26);
        const ProgramRun lines = runProgram({QStringLiteral("formats")});
        for (const QJsonValue& each : formats) {
            const QJsonObject format = each.toObject();
            for (const char* key : {"name", "recognised_by", "network_from", "example"}) {
                const QString text = format.value(QLatin1String(key)).toString();
                QVERIFY2(!text.isEmpty() && lines.out.contains(text), qPrintable(text));
            }
        }
    }

    void refusesTwoFormsOfOutput()
    {
        const ProgramRun both = runProgram({QStringLiteral("inspect"), examplePath("gpt2-tiny.yaml"),
                                            QStringLiteral("--json"), QStringLiteral("--as-yaml")});
        QVERIFY2(both.refused({"exclude each other"}), both.text());
        const ProgramRun config =
            runProgram({QStringLiteral("export"), examplePath("gpt2-tiny.yaml"), QStringLiteral("--size"),
                        QStringLiteral("2"), QStringLiteral("--json"), QStringLiteral("--output=-")});
        QVERIFY2(config.refused({"remove --output"}), config.text());
    }

private:
    QJsonObject run(const char* command, const QStringList& arguments) const
    {
        return documentOf(runProgram(
            QStringList{QString::fromUtf8(command), QStringLiteral("--json")} + arguments, m_environment));
    }

    QTemporaryDir m_folder;
    QProcessEnvironment m_environment = environmentWithoutDisplay();
};

BATCHPEAK_TEST(JsonOutputTest)
#include "tst_json_output.moc"
