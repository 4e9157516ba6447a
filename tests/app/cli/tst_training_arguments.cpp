// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/command.h"
#include "cli/training_arguments.h"
#include "program_run.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "training/training_option_table.h"
#include "training/training_snapshot.h"

#include <QTemporaryDir>
#include <QTest>

using namespace batchpeak;
using namespace batchpeak::cli;

namespace {

/// \throws UsageError
TrainingArguments parsed(const QStringList& given)
{
    TrainingArguments arguments;
    Options options({.name = "batchpeak train"});
    addTrainingOptions(options, arguments);
    std::vector<std::string> typed;
    for (const QString& word : given)
        typed.push_back(word.toStdString());
    options.parse(typed);
    checkTrainingArguments(arguments);
    return arguments;
}

struct AcceptedSetting
{
    const char* word;
    std::string setting;
    bool halves;
    bool asksForASearch;
};

} // namespace

/// Tests how the options of "batchpeak train" become the options of a run.
class TrainingArgumentsTest : public QObject
{
    Q_OBJECT

private slots:
    void leavesMissingOptionsToTheConfig()
    {
        const TrainingArguments arguments = parsed({});
        const training::TrainingOptions& options = arguments.options;
        QVERIFY(!options.run.setting && !options.steps && !options.epochs && !options.learningRate);
        QVERIFY(!options.weighting && !options.maximum && !options.halvesAutomatically && !options.exact);
        QVERIFY(options.data == (trial::DataChoice{.samples = 0}));
        QCOMPARE(options.run.headroom, 0.0);
        QVERIFY(!arguments.confirms && !arguments.asksForASearch);
    }

    void acceptsEachOption()
    {
        const TrainingArguments arguments = parsed(
            words("--steps 20 --epochs 3 --samples 640 --learning-rate 1e-3 --weight-by tokens --exact "
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

    void holdsSamplesOut_data()
    {
        rows<trial::HeldOut>({{"0.05", {.share = 0.05}},
                              {"5%", {.share = 0.05}},
                              {"5e-2", {.share = 0.05}},
                              {"1", {.samples = 1}},
                              {"500", {.samples = 500}}});
    }
    void holdsSamplesOut()
    {
        const auto options =
            parsed({QStringLiteral("--eval-split"), QString::fromUtf8(QTest::currentDataTag())}).options;
        QCOMPARE(options.data.heldOut.share, row<trial::HeldOut>().share);
        QCOMPARE(options.data.heldOut.samples, row<trial::HeldOut>().samples);
    }

    void acceptsASetting_data()
    {
        rows<AcceptedSetting>(
            {{"auto-halving",
              {.word = "auto-halving", .setting = "auto", .halves = true, .asksForASearch = false}},
             {"auto", {.word = "auto", .setting = "auto", .halves = true, .asksForASearch = true}},
             {"explore", {.word = "explore", .setting = "explore", .halves = true, .asksForASearch = true}},
             {"24", {.word = "24", .setting = "24", .halves = false, .asksForASearch = false}},
             {"null", {.word = "null", .setting = "null", .halves = false, .asksForASearch = false}}});
    }
    void acceptsASetting()
    {
        const auto& [word, setting, halves, asksForASearch] = row<AcceptedSetting>();
        const TrainingArguments arguments = parsed(words("--setting") + words(word));
        QCOMPARE(config::toText(*arguments.options.run.setting), setting);
        QCOMPARE(arguments.options.halvesAutomatically, halves);
        QCOMPARE(arguments.asksForASearch, asksForASearch);
    }

    void distinguishesATextFromAFolderOfArrays()
    {
        const QTemporaryDir folder;
        QFile text(folder.filePath(QStringLiteral("text.txt")));
        QVERIFY(text.open(QIODevice::WriteOnly));
        const auto ofFile = parsed({QStringLiteral("--data"), text.fileName()}).options.data;
        QVERIFY(ofFile.kind == trial::DataKind::Text && ofFile.path == text.fileName().toStdString());
        const auto ofFolder = parsed({QStringLiteral("--data"), folder.path()}).options.data;
        QVERIFY(ofFolder.kind == trial::DataKind::Arrays && ofFolder.path == folder.path().toStdString());
    }

    void acceptsAConfirmRun()
    {
        QVERIFY(parsed({QStringLiteral("--confirm")}).confirms);
        const TrainingArguments arguments = parsed(words("--confirm --confirm-steps 8"));
        QVERIFY(arguments.confirmSteps == 8);
    }

    void refusesContradictions_data()
    {
        const auto add = rows<const char*, const char*>();
        const auto refuses = [&add](const char* given, const char* said) { add(given, {given, said}); };
        refuses("--setting fast", "--setting: ");
        refuses("--maximum largest", "--maximum: 'largest' is not one of halving, binary, predict.");
        refuses("--weight-by words", "--weight-by: 'words' is not one of samples, tokens.");
        refuses("--steps 0", "--steps must be a whole number between 1 and");
        refuses("--learning-rate -1", "--learning-rate must be a number above 0");
        refuses("--data /no/such/text", "there is no /no/such/text");
        refuses("--data /dev --samples 3", "--samples counts synthetic samples");
        refuses("--samples 3 --data /dev", "--samples counts synthetic samples");
        refuses("--shrink --data /dev", "--shrink leaves the network a few tokens");
        refuses("--device cpu --device cuda", "a training run takes one device");
        refuses("--checkpoint-every 3", "add --checkpoint DIR");
        refuses("--eval-split 0", "--eval-split must be a whole number between 1 and");
        refuses("--eval-split 1.5", "--eval-split must be a share up to 0.99");
        refuses("--eval-split 0.0", "--eval-split must be a number above 0");
        refuses("--eval-split 100%", "--eval-split must be a percentage between");
        refuses("--eval-split most", "--eval-split must be a whole number");
        refuses("--confirm-steps 3", "add --confirm");
        refuses("--confirm --eval-split 5%", "leave out --eval-split");
        refuses("--confirm --steps 3", "leave out --steps");
        refuses("--confirm --grow 1", "leave out --grow");
        refuses("--confirm --maximum binary", "leave out --maximum");
        refuses("--sample-lengths f", "--sample-lengths: samples of a training run");
        refuses("--phase eval", "--phase: a training run trains");
    }
    void refusesContradictions()
    {
        const auto& [given, said] = row<const char*, const char*>();
        const QString complaint = complaintAbout([given = given] { parsed(words(given)); });
        QVERIFY2(complaint.contains(QLatin1String(said)), qPrintable(complaint));
        QVERIFY2(complaint.endsWith(QLatin1Char('.')), qPrintable(complaint));
    }

    void refusesContradictionsWithTheConfig_data()
    {
        const auto add = rows<const char*, bool, bool, const char*>();
        const auto check = [&add](const char* given, bool findsMaximum, bool grows, const char* said) {
            const std::string config = ", " + std::to_string(findsMaximum) + ", " + std::to_string(grows);
            add(given + config, {given, findsMaximum, grows, said});
        };
        check("--exact", false, false, "add --maximum");
        check("--exact", true, false, "");
        check("--exact", false, true, "");
        check("--exact --maximum binary", false, false, "");
        check("--maximum binary --setting 4", false, false, "--setting 4 says which size");
        check("--maximum binary --setting null", false, false, "--setting null says which size");
        check("--maximum binary --setting auto-halving", false, false, "--setting auto-halving says which");
        check("--maximum binary --setting 4", false, true, "");
        check("--maximum binary --setting 4 --grow 2", false, false, "");
    }
    void refusesContradictionsWithTheConfig()
    {
        const auto& [given, findsMaximum, grows, said] = row<const char*, bool, bool, const char*>();
        const config::TrainingSettings asked{.usesMaximumBatchSize = findsMaximum,
                                             .batchIncreaseFunction = grows ? "4" : ""};
        const QString complaint = complaintAbout(
            [&, given = given] { training::checkAgainstConfig(parsed(words(given)).options, asked); });
        QCOMPARE(complaint.isEmpty(), *said == '\0');
        QVERIFY2(complaint.contains(QLatin1String(said)), qPrintable(complaint));
    }
};

BATCHPEAK_TEST(TrainingArgumentsTest)
#include "tst_training_arguments.moc"
