// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/parameter_table.h"
#include "support/test_main.h"
#include "trainer_test_data.h"

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

const std::string sizeKey = "per_device_train_batch_size";
const std::string batchKey = "per_device_train_batch_size * gradient_accumulation_steps";
const QString galore = otherConfigs + QStringLiteral("llama-factory/llama3_full_sft.yaml");

ConfigContents read(const std::string& text)
{
    return recognise(text)->read();
}

} // namespace

class LlamaFactoryFormatTest : public QObject
{
    Q_OBJECT

private slots:
    void isKnownByItsKeys_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("name");
        const auto row = [](const char* name, const char* text, const char* format) {
            QTest::newRow(name) << QByteArray(text) << QByteArray(format);
        };
        row("a length", "cutoff_len: 512\n", "LLaMA-Factory");
        row("a type", "finetuning_type: full\n", "LLaMA-Factory");
        row("a stage", "stage: pt\n", "LLaMA-Factory");
        row("JSON", R"({"finetuning_type": "full"})", "LLaMA-Factory");
        row("a stage of another kind", "num_train_epochs: 1\nstage: 2\n", "Hugging Face TrainingArguments");
        row("a type of another kind", "num_train_epochs: 1\nfinetuning_type: [full]\n",
            "Hugging Face TrainingArguments");
    }
    void isKnownByItsKeys()
    {
        QFETCH(QByteArray, text);
        QTEST(nameOfFormat(text.toStdString()), "name");
    }

    void takesDefaultsOfTheTrainer()
    {
        const ConfigContents contents = read("stage: sft\n");
        QVERIFY(contents.train == planOnOneDevice(8, 8, sizeKey, batchKey));
        QVERIFY(!contents.eval);
        QCOMPARE(contents.sequenceLength, 2048);
        QCOMPARE(contents.precision, model::Precision::Fp32);
        const model::StepOptions step{.activationCheckpointing = true, .maxGradientNorm = 1.0};
        QVERIFY(contents.step == step);
        // An adapter is what it trains where nothing is said.
        const auto& adapter = std::get<UnsupportedModel>(contents.model);
        QVERIFY(!adapter.isElsewhere);
        QVERIFY2(adapter.sentence.find("lora where it is absent") != std::string::npos,
                 adapter.sentence.c_str());
    }

    void readsWhatIsWritten()
    {
        const ConfigContents contents =
            read("stage: pt\nfinetuning_type: full\nmodel_name_or_path: nobody/nothing\ncutoff_len: 128\n"
                 "per_device_train_batch_size: 2\ngradient_accumulation_steps: 5\nbf16: true\n"
                 "disable_gradient_checkpointing: true\neval_strategy: steps\n");
        QVERIFY(contents.train == planOnOneDevice(2, 10, sizeKey, batchKey));
        QVERIFY(contents.eval.has_value());
        QCOMPARE(contents.sequenceLength, 128);
        QCOMPARE(contents.precision, model::Precision::Bf16);
        QVERIFY(!contents.step.activationCheckpointing);
        const auto& unknown = std::get<UnsupportedModel>(contents.model);
        QVERIFY(unknown.isElsewhere);
        QCOMPARE(unknown.position.line, 3);
        QVERIFY(contents.warnings.empty());
    }

    void keepsCheckpointingOnWhateverTheTrainerIsTold()
    {
        QVERIFY(read("cutoff_len: 8\ngradient_checkpointing: false\n").step.activationCheckpointing);
    }

    void refusesTrialsOfOtherRuns_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("named");
        const auto row = [](const char* text, const char* named) {
            QTest::newRow(QByteArray(text).replace('\n', "; ").constData())
                << QByteArray(text) << QByteArray(named);
        };
        row("finetuning_type: lora", "trains an adapter");
        row("finetuning_type: oft", "trains an adapter");
        row("finetuning_type: freeze", "trains some layers");
        row("finetuning_type: full\nstage: dpo", "stage is dpo");
        row("finetuning_type: full\nstage: rm", "stage is rm");
        row("finetuning_type: full\nstage: ppo", "stage is ppo");
        row("finetuning_type: full\nstage: kto", "stage is kto");
    }
    void refusesTrialsOfOtherRuns()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, named);
        const ConfigContents contents = read("cutoff_len: 8\n" + text.toStdString() + "\n");
        const auto& refused = std::get<UnsupportedModel>(contents.model);
        QVERIFY(!refused.isElsewhere);
        QVERIFY2(refused.sentence.find(named.toStdString()) != std::string::npos, refused.sentence.c_str());
        QCOMPARE(refused.position.line, text.contains('\n') ? 3 : 2);
    }

    void saysWhatTrialsDoOtherwise_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("warning");
        const auto row = [](const char* text, const char* warning) {
            QTest::newRow(QByteArray(text).replace('\n', "; ").constData())
                << QByteArray(text) << QByteArray(warning);
        };
        row("quantization_bit: 4", "quantization_bit quantises");
        row("packing: true", "packing puts several");
        row("use_galore: true", "GaLore");
        row("use_muon: true", "Muon");
        row("pure_bf16: true", "bfloat16 alone");
        row("deepspeed: ds.json", "deepspeed can spread");
    }
    void saysWhatTrialsDoOtherwise()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, warning);
        const ConfigContents contents = read("cutoff_len: 8\n" + text.toStdString() + "\n");
        QCOMPARE(contents.warnings.size(), std::size_t{1});
        QVERIFY2(hasWarning(contents, warning.toStdString()), contents.warnings.front().sentence.c_str());
        QCOMPARE(contents.warnings.front().position.line, 2);
    }

    void namesWhatIsWrong_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("named");
        QTest::addColumn<int>("line");
        QTest::addColumn<int>("column");
        const auto row = [](const char* name, const char* text, const char* named, int line, int column) {
            QTest::newRow(name) << QByteArray(text) << QString::fromLatin1(named) << line << column;
        };
        row("an unknown type", "cutoff_len: 8\nfinetuning_type: half\n", "lora, oft, freeze, full", 2, 18);
        row("an unknown stage", "finetuning_type: full\nstage: grpo\n", "pt, sft, rm, ppo, dpo, kto", 2, 8);
        row("a length of nothing", "cutoff_len: 0\n", "at least 1", 1, 13);
        row("an interpolation, which it does not follow",
            "cutoff_len: 8\nsize: 4\nper_device_train_batch_size: ${size}\n", "write the value here", 3, 30);
    }
    void namesWhatIsWrong()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, named);
        const ReadingError error = errorOfReading(text.toStdString());
        QVERIFY2(error.sentence.contains(named), qPrintable(error.sentence));
        QTEST(error.position.line, "line");
        QTEST(error.position.column, "column");
    }

    void writesASize()
    {
        QCOMPARE(written("### train\nper_device_train_batch_size: 6\n\n### eval\n# val_size: 0.1\n"
                         "stage: sft\n",
                         trainSize(2)),
                 QByteArray("### train\nper_device_train_batch_size: 2\ngradient_accumulation_steps: 3\n\n"
                            "### eval\n# val_size: 0.1\nstage: sft\n"));
    }

    void readsTheConfigOfGaLore()
    {
        if (!QFile::exists(galore))
            QSKIP("The shared configs are not on this computer.");
        const ConfigContents contents = read(textOf(galore));
        QCOMPARE(contents.formatName, std::string("LLaMA-Factory"));
        QVERIFY(contents.train == planOnOneDevice(1, 1, sizeKey, batchKey));
        QVERIFY(!contents.eval);
        QCOMPARE(contents.sequenceLength, 2048);
        QCOMPARE(contents.precision, model::Precision::PureBf16);
        QVERIFY(contents.step.activationCheckpointing);
        QVERIFY(hasWarning(contents, "use_galore makes GaLore the optimizer"));
        QVERIFY(hasWarning(contents, "bfloat16 alone"));
        QCOMPARE(contents.warnings.size(), std::size_t{2});
        // Llama 3 8B, as its authors count it.
        QCOMPARE(model::parameterCount(std::get<model::ModelSpec>(contents.model)), 8030261248);
    }

    void changesTheConfigOfGaLore()
    {
        if (!QFile::exists(galore))
            QSKIP("The shared configs are not on this computer.");
        checkChangesTheseLines(galore, trainSize(7, 7), "per_device_train_batch_size: 1\n",
                               "per_device_train_batch_size: 7\n");
        checkChangesTheseLines(galore, trainSize(1, 4), "gradient_accumulation_steps: 1  #",
                               "gradient_accumulation_steps: 4  #");
        QVERIFY_THROWS_EXCEPTION(BatchNotKept, recognise(textOf(galore))->withMicroBatchSize(trainSize(7)));
    }
};

BATCHPEAK_TEST(LlamaFactoryFormatTest)
#include "tst_llama_factory_format.moc"
