// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/training_arguments.h"
#include "cli/usage_error.h"
#include "support/test_main.h"
#include "training/training_snapshot.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <QTemporaryDir>
#include <QTest>

using namespace batchpeak;
using namespace batchpeak::cli;

namespace {

/// \throws UsageError
TrainingArguments parsed(const QStringList& words)
{
    TrainingArguments arguments;
    CLI::App app;
    addTrainingOptions(app, arguments);
    // CLI11 takes the last word first.
    std::vector<std::string> reversed;
    for (const QString& word : words)
        reversed.insert(reversed.begin(), word.toStdString());
    app.parse(reversed);
    checkTrainingOptions(arguments);
    return arguments;
}

QString complaintAbout(const QStringList& words)
{
    try {
        parsed(words);
    } catch (const UsageError& error) {
        return QString::fromStdString(error.what());
    }
    return {};
}

QStringList split(const char* line)
{
    return QString::fromUtf8(line).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

} // namespace

/// The options of "batchpeak train", up to the options of a run.
class TrainingArgumentsTest : public QObject
{
    Q_OBJECT

private slots:
    void leavesToTheConfigWhatIsNotGiven()
    {
        const TrainingArguments arguments = parsed({});
        const training::TrainingOptions& options = arguments.options;
        QVERIFY(!options.run.setting && !options.steps && !options.epochs && !options.learningRate);
        QVERIFY(!options.weighting && !options.maximum && !options.halvesAutomatically && !options.exact);
        QVERIFY(options.data == (trial::DataChoice{.samples = 0}));
        QCOMPARE(options.run.headroom, 0.0);
        QVERIFY(!arguments.confirms && !arguments.asksForASearch);
    }

    void takesEachOption()
    {
        const TrainingArguments arguments = parsed(
            split("--steps 20 --epochs 3 --samples 640 --learning-rate 1e-3 --weight-by tokens --exact "
                  "--maximum predict --strict --evaluate-every 5 --evaluation-batches 2 --checkpoint c "
                  "--checkpoint-every 10 --resume r --memory-limit 300MiB --headroom 8 --device cpu "
                  "--seed 7 --precision bf16 --optimizer sgd --sequence-length 64"));
        const training::TrainingOptions& o = arguments.options;
        QVERIFY(o.steps == 20 && o.epochs == 3 && o.data.samples == 640);
        QCOMPARE(o.learningRate.value_or(0), 1e-3);
        QVERIFY(o.weighting == trial::LossWeighting::Tokens && o.maximum == training::MaximumWay::Predict);
        QVERIFY(o.exact && o.strict && o.evaluateEvery == 5 && o.evaluationBatches == 2);
        QVERIFY(o.checkpointFolder == QStringLiteral("c") && o.checkpointEvery == 10);
        QCOMPARE(o.resumeFolder, QStringLiteral("r"));
        QVERIFY(o.run.memoryLimitBytes == 314572800 && o.run.seed == 7 && o.run.sequenceLength == 64);
        QCOMPARE(o.run.headroom, 0.08);
        QCOMPARE(o.run.devices, QStringList{QStringLiteral("cpu")});
        QVERIFY(o.run.precision == model::Precision::Bf16 && o.run.optimizer == model::Optimizer::Sgd);
    }

    void takesASetting_data()
    {
        QTest::addColumn<QString>("word");
        QTest::addColumn<QString>("setting");
        QTest::addColumn<bool>("halves");
        QTest::addColumn<bool>("asksForASearch");
        const auto row = [](const char* word, const char* setting, bool halves, bool asks) {
            QTest::newRow(word) << QString::fromUtf8(word) << QString::fromUtf8(setting) << halves << asks;
        };
        row("auto-halving", "auto", true, false);
        row("auto", "auto", true, true);
        row("explore", "explore", true, true);
        row("24", "24", false, false);
        row("null", "null", false, false);
    }
    void takesASetting()
    {
        QFETCH(QString, word);
        QFETCH(QString, setting);
        const TrainingArguments arguments = parsed({QStringLiteral("--setting"), word});
        QCOMPARE(QString::fromStdString(config::toText(*arguments.options.run.setting)), setting);
        QTEST(arguments.options.halvesAutomatically, "halves");
        QTEST(arguments.asksForASearch, "asksForASearch");
    }

    void tellsATextFromAFolderOfArrays()
    {
        const QTemporaryDir folder;
        QFile text(folder.filePath(QStringLiteral("text.txt")));
        QVERIFY(text.open(QIODevice::WriteOnly));
        const auto ofFile = parsed({QStringLiteral("--data"), text.fileName()}).options.data;
        QVERIFY(ofFile.kind == trial::DataKind::Text && ofFile.path == text.fileName().toStdString());
        const auto ofFolder = parsed({QStringLiteral("--data"), folder.path()}).options.data;
        QVERIFY(ofFolder.kind == trial::DataKind::Arrays && ofFolder.path == folder.path().toStdString());
    }

    void takesAConfirmRun()
    {
        QVERIFY(parsed({QStringLiteral("--confirm")}).confirms);
        const TrainingArguments arguments = parsed(split("--confirm --confirm-steps 8"));
        QVERIFY(arguments.confirmSteps == 8);
    }

    void refusesContradictions_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* words, const char* said) {
            QTest::newRow(words) << split(words) << QString::fromUtf8(said);
        };
        row("--setting fast", "--setting: ");
        row("--maximum largest", "--maximum: 'largest' is not one of halving, binary, predict.");
        row("--weight-by words", "--weight-by: 'words' is not one of samples, tokens.");
        row("--steps 0", "--steps: '0' is no whole number");
        row("--learning-rate -1", "--learning-rate: '-1' is no number above 0");
        row("--data /no/such/text", "there is no /no/such/text");
        row("--data /dev --samples 3", "--samples counts synthetic samples");
        row("--samples 3 --data /dev", "--samples counts synthetic samples");
        row("--device cpu --device cuda", "a training run takes one device");
        row("--checkpoint-every 3", "add --checkpoint DIR");
        row("--confirm-steps 3", "add --confirm");
        row("--confirm --steps 3", "leave out --steps");
        row("--confirm --grow 1", "leave out --grow");
        row("--confirm --maximum binary", "leave out --maximum");
        row("--sample-lengths f", "--sample-lengths: samples of a training run");
        row("--phase eval", "--phase: a training run trains");
    }
    void refusesContradictions()
    {
        QFETCH(QStringList, words);
        QFETCH(QString, said);
        const QString complaint = complaintAbout(words);
        QVERIFY2(complaint.contains(said), qPrintable(complaint));
        QVERIFY2(complaint.endsWith(QLatin1Char('.')), qPrintable(complaint));
    }

    void refusesWhatTheConfigLeavesNoRoomFor_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<bool>("findsMaximum");
        QTest::addColumn<bool>("grows");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* words, bool findsMaximum, bool grows, const char* said) {
            QTest::addRow("%s, %d, %d", words, findsMaximum, grows)
                << split(words) << findsMaximum << grows << QString::fromUtf8(said);
        };
        row("--exact", false, false, "add --maximum");
        row("--exact", true, false, "");
        row("--exact", false, true, "");
        row("--exact --maximum binary", false, false, "");
        row("--maximum binary --setting 4", false, false, "--setting 4 says which size");
        row("--maximum binary --setting null", false, false, "--setting null says which size");
        row("--maximum binary --setting auto-halving", false, false, "--setting auto-halving says which");
        row("--maximum binary --setting 4", false, true, "");
        row("--maximum binary --setting 4 --grow 2", false, false, "");
    }
    void refusesWhatTheConfigLeavesNoRoomFor()
    {
        QFETCH(QStringList, words);
        QFETCH(QString, said);
        QFETCH(bool, findsMaximum);
        QFETCH(bool, grows);
        QString complaint;
        try {
            checkAgainstConfig(parsed(words).options, {.usesMaximumBatchSize = findsMaximum,
                                                       .batchIncreaseFunction = grows ? "4" : ""});
        } catch (const UsageError& error) {
            complaint = QString::fromStdString(error.what());
        }
        QCOMPARE(complaint.isEmpty(), said.isEmpty());
        QVERIFY2(complaint.contains(said), qPrintable(complaint));
    }
};

BATCHPEAK_TEST(TrainingArgumentsTest)
#include "tst_training_arguments.moc"
