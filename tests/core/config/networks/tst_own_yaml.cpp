// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/config_document.h"
#include "config_test_data.h"
#include "model/parameter_table.h"
#include "support/error_of.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QDirIterator>
#include <QTest>

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

void addFiles(const batchpeak::test::Rows<QString>& add, const QString& folder)
{
    QDirIterator files(folder, {QStringLiteral("*.yaml"), QStringLiteral("*.yml"), QStringLiteral("*.json")},
                       QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString file = files.next();
        add(file.mid(folder.size() + 1).toStdString(), file);
    }
}

/// Compares everything that determines a run.
void compareRuns(const ConfigContents& actual, const ConfigContents& expected)
{
    QVERIFY(std::get<model::ModelSpec>(actual.model) == std::get<model::ModelSpec>(expected.model));
    QVERIFY(actual.precision == expected.precision);
    QVERIFY(actual.optimizer == expected.optimizer);
    QVERIFY(actual.step == expected.step);
    // In Batchpeak's own configs, the setting of the micro-batch size determines these two.
    TrainingSettings settings = expected.training;
    settings.halvesAutomatically = false;
    settings.accumulates.reset();
    QVERIFY(actual.training == settings);
    const auto& spec = std::get<model::ModelSpec>(expected.model);
    QCOMPARE(actual.sequenceLength,
             expected.sequenceLength > 0 ? expected.sequenceLength : model::defaultSequenceLength(spec));
    for (model::Phase phase : phasesOf(expected)) {
        const auto& plan = phase == model::Phase::Eval && !expected.train ? actual.train : actual.plan(phase);
        QCOMPARE(plan->globalBatchSize, expected.plan(phase)->globalBatchSize);
        QCOMPARE(plan->devices, expected.plan(phase)->devices);
        QVERIFY(plan->setting == expected.plan(phase)->setting);
    }
}

} // namespace

/// Tests that a config of any format describes the same run if it is written as one of Batchpeak's own.
class OwnYamlTest : public QObject
{
    Q_OBJECT

private slots:
    void describesTheSameRun_data()
    {
        const auto add = rows<QString>();
        addFiles(add, QStringLiteral(BATCHPEAK_TEST_DATA "/configs"));
        addFiles(add, QStringLiteral(BATCHPEAK_SOURCE_DIR "/resources/examples"));
        addFiles(add, QStringLiteral(BATCHPEAK_SHARED_CONFIGS));
    }
    void describesTheSameRun()
    {
        const auto& file = row<QString>();
        const ConfigContents contents = recognize(textOf(file))->read();
        if (std::holds_alternative<UnsupportedModel>(contents.model))
            QSKIP("This network cannot be run here, so there is nothing to measure.");
        const std::string yaml = toOwnYaml(contents);
        compareRuns(recognize(yaml)->read(), contents);
    }

    void writesOptionsOfOptimizers()
    {
        const ConfigContents contents =
            recognize("batchpeak: 1\nmodel: {family: resnet}\nbatch_size: 8\noptimizer: sgd\n"
                      "adamw_step: operations\nmomentum: false\nfp32_embedding_moments: true\n")
                ->read();
        QVERIFY(contents.step.adamWStep == model::AdamWStep::Operations && !contents.step.keepsMomentum);
        QVERIFY(contents.step.wideEmbeddingMoments);
        compareRuns(recognize(toOwnYaml(contents))->read(), contents);
    }

    void writesRecomputedLossChunks()
    {
        const ConfigContents contents =
            recognize("batchpeak: 1\n"
                      "model: {family: gpt2, vocabulary_size: 256, hidden_size: 64, layers: 2, heads: 2,\n"
                      "  key_value_heads: 2, feed_forward_size: 128, max_positions: 32}\n"
                      "batch_size: 8\n"
                      "loss_chunk_rows: 256\n"
                      "loss_chunks_recomputed: true\n")
                ->read();
        QVERIFY(contents.step.recomputesLossChunks);
        compareRuns(recognize(toOwnYaml(contents))->read(), contents);
    }

    void writesTrainingSettings()
    {
        const ConfigContents contents =
            recognize("batchpeak: 1\nmodel: {family: resnet}\nbatch_size: 8\nlearning_rate: 1e-05\n"
                      "weight_by: tokens\nuse_maximum_batch_size: true\n"
                      "batch_increase_function: \"a\\nb \\\\ \\\"c\\\"\"\n")
                ->read();
        QCOMPARE(contents.training.batchIncreaseFunction, std::string("a\nb \\ \"c\""));
        const std::string yaml = toOwnYaml(contents);
        QVERIFY2(recognize(yaml)->read().training == contents.training, yaml.c_str());
    }

    void readsTheDocumentedExamples_data()
    {
        // Counts that are published for TinyLlama and T5-small.
        rows<int, std::int64_t, std::int64_t>(
            {{"usual keys", {1, 1100048384, 2048}}, {"every key", {2, 60506624, 1024}}});
    }
    void readsTheDocumentedExamples()
    {
        const auto& [place, parameters, sequenceLength] = row<int, std::int64_t, std::int64_t>();
        const QString document =
            QString::fromStdString(textOf(QStringLiteral(BATCHPEAK_SOURCE_DIR "/docs/own-config.md")));
        const QString example =
            document.section(QStringLiteral("```yaml\n"), place, place).section(QStringLiteral("```"), 0, 0);
        const ConfigContents contents = recognize(example.toStdString())->read();
        QCOMPARE(model::parameterCount(std::get<model::ModelSpec>(contents.model)), parameters);
        QCOMPARE(contents.train->setting, Setting(Explore{}));
        QCOMPARE(contents.sequenceLength, sequenceLength);
    }

    void writesInputsOfModules()
    {
        const char* text = "batchpeak: 1\n"
                           "model:\n"
                           "  family: torchscript\n"
                           "  file: 'a \"b\" \\c.pt'\n"
                           "  inputs:\n"
                           "    - {shape: [80, 3000]}\n"
                           "    - {shape: [448], type: int64, upper_bound: 51865}\n"
                           "  classes: 10\n"
                           "batch_size: 8\n";
        const ConfigContents contents = recognize(text)->read();
        compareRuns(recognize(toOwnYaml(contents))->read(), contents);
    }

    void namesThePresentSize()
    {
        ConfigContents contents = recognize("batchpeak: 1\nmodel: {family: resnet}\nbatch_size: 8\n")->read();
        contents.train->setting = Explore{};
        contents.train->presentSize = 4;
        contents.train->microBatchKey = "per_device_train_batch_size";
        const QString yaml = QString::fromStdString(toOwnYaml(contents));
        QVERIFY2(
            yaml.contains(QStringLiteral("micro_batch_size: explore   # 4 as per_device_train_batch_size")),
            qPrintable(yaml));
        QVERIFY(recognize(yaml.toStdString())->read().train->setting == Setting(Explore{}));
    }

    void explainsWhatItCannotWrite()
    {
        const ConfigContents contents =
            recognize("trainer:\n  init: {seed: 1}\n  fit: {train_dataloader: {batch_size: 8}}\n")->read();
        VERIFY_CONTAINS(test::errorOf<ConfigError>([&] { (void)toOwnYaml(contents); }),
                        "The config has no model section");
    }
};

BATCHPEAK_TEST(OwnYamlTest)
#include "tst_own_yaml.moc"
