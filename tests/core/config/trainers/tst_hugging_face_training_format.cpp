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
const std::string evalKey = "per_device_eval_batch_size";
const QString zephyr = otherConfigs + QStringLiteral("hf_training_args/zephyr-7b-beta_sft_config_full.yaml");

ConfigContents read(const std::string& text)
{
    return recognise(text)->read();
}

} // namespace

class HuggingFaceTrainingFormatTest : public QObject
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
        const char* own = "Hugging Face TrainingArguments";
        row("a size", "per_device_train_batch_size: 4\n", own);
        row("a size of evaluation", "per_device_eval_batch_size: 4\n", own);
        row("epochs alone", "output_dir: out\nnum_train_epochs: 3\n", own);
        row("a network", "model_name_or_path: gpt2\noutput_dir: out\n", own);
        row("JSON", R"({"per_device_train_batch_size": 4})", own);
        row("alignment-handbook", "model_name_or_path: gpt2\nmax_seq_length: 512\nuse_peft: false\n", own);
        row("LLaMA-Factory by its length", "per_device_train_batch_size: 4\ncutoff_len: 64\n",
            "LLaMA-Factory");
        row("LLaMA-Factory by its stage", "per_device_train_batch_size: 4\nstage: sft\n", "LLaMA-Factory");
        row("axolotl", "base_model: gpt2\nmicro_batch_size: 2\ngradient_accumulation_steps: 2\n", "axolotl");
        row("DeepSpeed", R"({"train_micro_batch_size_per_gpu": 4})", "DeepSpeed");
        row("Cerebras params", "train_input: {batch_size: 4}\n", "Cerebras params");
    }
    void isKnownByItsKeys()
    {
        QFETCH(QByteArray, text);
        QTEST(nameOfFormat(text.toStdString()), "name");
    }

    void leavesOtherTextsAlone()
    {
        QVERIFY(errorOfReading("output_dir: out\nlearning_rate: 1\n")
                    .sentence.contains(QLatin1String("no config of a known format")));
        QCOMPARE(nameOfFormat("{\"model_type\": \"gpt2\", \"_name_or_path\": \"gpt2\"}"),
                 QByteArray("Hugging Face config.json"));
    }

    void takesDefaultsOfTheTrainer()
    {
        const ConfigContents contents = read("num_train_epochs: 1\n");
        QVERIFY(contents.train == planOnOneDevice(8, 8, sizeKey, batchKey));
        QVERIFY(!contents.eval);
        QCOMPARE(contents.sequenceLength, 0);
        QCOMPARE(contents.precision, model::Precision::Fp32);
        QCOMPARE(contents.optimizer, model::Optimizer::AdamW);
        const model::StepOptions step{.maxGradientNorm = 1.0};
        QVERIFY(contents.step == step);
        const auto& none = std::get<UnsupportedModel>(contents.model);
        QVERIFY(none.isElsewhere);
        QVERIFY(none.sentence.find("model_name_or_path") != std::string::npos);
        QVERIFY(contents.warnings.empty());
    }

    void takesDefaultsOfTrl()
    {
        const ConfigContents contents = read("num_train_epochs: 1\npacking: false\n");
        QCOMPARE(contents.sequenceLength, 1024);
        QCOMPARE(contents.precision, model::Precision::Bf16);
        QVERIFY(contents.step.activationCheckpointing);
        QVERIFY(hasWarning(contents, "does not say gradient_checkpointing"));
        QVERIFY(hasWarning(contents, "does not say bf16"));
    }

    void readsWhatIsWritten()
    {
        const ConfigContents contents =
            read("model_name_or_path: nobody/nothing\nper_device_train_batch_size: 4\n"
                 "gradient_accumulation_steps: 6\nper_device_eval_batch_size: 16\nblock_size: 512\n"
                 "bf16: true\noptim: sgd\ngradient_checkpointing: true\nmax_grad_norm: 0.5\n");
        QVERIFY(contents.train == planOnOneDevice(4, 24, sizeKey, batchKey));
        QVERIFY(contents.eval == planOnOneDevice(16, 16, evalKey, evalKey));
        QCOMPARE(contents.sequenceLength, 512);
        QCOMPARE(contents.precision, model::Precision::Bf16);
        QCOMPARE(contents.optimizer, model::Optimizer::Sgd);
        const model::StepOptions step{.activationCheckpointing = true, .maxGradientNorm = 0.5};
        QVERIFY(contents.step == step);
        const auto& unknown = std::get<UnsupportedModel>(contents.model);
        QVERIFY(unknown.isElsewhere);
        QVERIFY(unknown.sentence.find("nobody/nothing") != std::string::npos);
        QCOMPARE(unknown.position.column, 21);
    }

    void readsPrecision_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("precision");
        QTest::addColumn<QByteArray>("warning");
        const auto row = [](const char* text, const char* precision, const char* warning = "") {
            QTest::newRow(QByteArray(text).replace('\n', "; ").constData())
                << QByteArray(text) << QByteArray(precision) << QByteArray(warning);
        };
        row("bf16: true\ntf32: true", "bf16");
        row("tf32: true", "tf32");
        row("tf32: null", "fp32");
        row("fp16: true", "bf16", "float16");
        row("bf16: true\ntorch_dtype: bfloat16", "pure-bf16", "bfloat16 alone");
        row("dtype: bfloat16", "pure-bf16", "bfloat16 alone");
        row("dtype: float16", "pure-bf16", "float16");
        row("dtype: auto", "fp32");
    }
    void readsPrecision()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, warning);
        const ConfigContents contents = read("num_train_epochs: 1\n" + text.toStdString() + "\n");
        const std::string_view precision = model::toText(contents.precision);
        QTEST(QByteArray(precision.data(), static_cast<qsizetype>(precision.size())), "precision");
        QCOMPARE(contents.warnings.empty(), warning.isEmpty());
        QVERIFY(warning.isEmpty() || hasWarning(contents, warning.toStdString()));
    }

    void readsLengths_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<qint64>("length");
        const auto row = [](const char* text, qint64 length) {
            QTest::newRow(QByteArray(text).replace('\n', "; ").constData()) << QByteArray(text) << length;
        };
        row("max_length: 300", 300);
        row("max_seq_length: 200", 200);
        row("max_source_length: 100", 100);
        row("max_length: null", 0);
        row("use_peft: false", 1024);
    }
    void readsLengths()
    {
        QFETCH(QByteArray, text);
        QTEST(qint64{read("num_train_epochs: 1\n" + text.toStdString() + "\n").sequenceLength}, "length");
    }

    void readsTheLengthOfTargets()
    {
        const ConfigContents contents =
            read("num_train_epochs: 1\nmax_source_length: 100\nmax_target_length: 20\n");
        QCOMPARE(contents.targetLength, std::optional<std::int64_t>(20));
    }

    void takesTheNewerNameOfCheckpointing()
    {
        QVERIFY(!read("num_train_epochs: 1\nactivation_checkpointing: false\ngradient_checkpointing: true\n")
                     .step.activationCheckpointing);
    }

    void evaluatesWhereItIsAsked_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("evaluates");
        const auto row = [](const char* text, bool evaluates) {
            QTest::newRow(QByteArray(text).replace('\n', "; ").constData()) << QByteArray(text) << evaluates;
        };
        row("do_eval: true", true);
        row("do_eval: false", false);
        row("eval_strategy: steps", true);
        row("eval_strategy: no", false);
        row("eval_strategy: \"no\"", false);
        row("evaluation_strategy: epoch", true);
        row("eval_steps: 100", true);
        row("per_device_eval_batch_size: 8", true);
        row("do_train: true", false);
    }
    void evaluatesWhereItIsAsked()
    {
        QFETCH(QByteArray, text);
        QFETCH(bool, evaluates);
        const ConfigContents contents = read("num_train_epochs: 1\n" + text.toStdString() + "\n");
        QCOMPARE(contents.eval.has_value(), evaluates);
        if (evaluates)
            QVERIFY(contents.eval == planOnOneDevice(8, 8, evalKey, evalKey));
    }

    void saysWhatTrialsDoOtherwise_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("warning");
        const auto row = [](const char* text, const char* warning) {
            QTest::newRow(QByteArray(text).replace('\n', "; ").constData())
                << QByteArray(text) << QByteArray(warning);
        };
        row("optim: paged_adamw_8bit", "optimizer paged_adamw_8bit");
        row("optim: adafactor", "optimizer adafactor");
        row("deepspeed: ds.json", "deepspeed can spread");
        row("deepspeed: {train_batch_size: auto}", "deepspeed can spread");
        row("fsdp: full_shard", "fsdp spreads");
        row("load_in_4bit: true", "load_in_4bit quantises");
        row("accelerator_config: {split_batches: true}", "accelerator_config.split_batches makes the sizes");
        row("auto_find_batch_size: true", "auto_find_batch_size is on");
        row("packing: true\nbf16: true\ngradient_checkpointing: true", "packing puts several");
    }
    void saysWhatTrialsDoOtherwise()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, warning);
        const ConfigContents contents = read("num_train_epochs: 1\n" + text.toStdString() + "\n");
        QCOMPARE(contents.warnings.size(), std::size_t{1});
        QVERIFY2(hasWarning(contents, warning.toStdString()), contents.warnings.front().sentence.c_str());
        QCOMPARE(contents.warnings.front().position.line, 2);
    }

    void saysNothingOfWhatIsSwitchedOff()
    {
        QVERIFY(read("num_train_epochs: 1\nfsdp: ''\ndeepspeed: null\nload_in_4bit: false\n"
                     "auto_find_batch_size: false\naccelerator_config: run.json\noptim: adamw_torch_fused\n")
                    .warnings.empty());
    }

    void refusesTrialsOfOtherRuns_data()
    {
        QTest::addColumn<QByteArray>("text");
        for (const char* text :
             {"use_peft: true", "beta: 0.1", "max_prompt_length: 256", "num_generations: 8"})
            QTest::newRow(QByteArray(text).replace('\n', "; ").constData()) << QByteArray(text);
    }
    void refusesTrialsOfOtherRuns()
    {
        QFETCH(QByteArray, text);
        const ConfigContents contents = read("model_name_or_path: gpt2\n" + text.toStdString() + "\n");
        const auto& refused = std::get<UnsupportedModel>(contents.model);
        QVERIFY(!refused.isElsewhere);
        QVERIFY2(refused.sentence.find("would measure another run") != std::string::npos,
                 refused.sentence.c_str());
        QCOMPARE(refused.position.line, 2);
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
        row("no sample", "num_train_epochs: 1\nper_device_train_batch_size: 0\n", "at least 1", 2, 30);
        row("a word", "per_device_train_batch_size: auto\n", "whole number", 1, 30);
        row("a number in quotes", "per_device_train_batch_size: '4'\n", "the text \"4\"", 1, 30);
        row("no step", "per_device_train_batch_size: 4\ngradient_accumulation_steps: 0\n", "at least 1", 2,
            30);
        row("more than any run", "per_device_train_batch_size: 4294967296\n", "more than any run", 1, 30);
        row("no sample of evaluation", "per_device_eval_batch_size: 0\n", "at least 1", 1, 29);
        row("two precisions", "num_train_epochs: 1\nbf16: true\nfp16: true\n", "beside bf16", 3, 7);
        row("a norm below nothing", "num_train_epochs: 1\nmax_grad_norm: -1\n", "no clipping", 2, 16);
        row("a length of nothing", "num_train_epochs: 1\nmax_length: 0\n", "at least 1", 2, 13);
        row("JSON with a comment", "{\"per_device_train_batch_size\": 4 // small\n}", "not valid JSON", 1,
            35);
        row("JSON with a comma too many", "{\"per_device_train_batch_size\": 4,}", "not valid JSON", 1, 35);
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

    void writesASize_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<int>("size");
        QTest::addColumn<QByteArray>("after");
        const auto row = [](const char* name, const char* before, int size, const char* after) {
            QTest::newRow(name) << QByteArray(before) << size << QByteArray(after);
        };
        row("smaller", "per_device_train_batch_size: 16 # all\ngradient_accumulation_steps: 1\n", 4,
            "per_device_train_batch_size: 4 # all\ngradient_accumulation_steps: 4\n");
        row("larger", "per_device_train_batch_size: 2\ngradient_accumulation_steps: 8 # x\n", 16,
            "per_device_train_batch_size: 16\ngradient_accumulation_steps: 1 # x\n");
        row("as it is", "per_device_train_batch_size: 0x4\ngradient_accumulation_steps: 2\n", 4,
            "per_device_train_batch_size: 0x4\ngradient_accumulation_steps: 2\n");
        row("steps inserted", "per_device_train_batch_size: 16\nbf16: true\n", 4,
            "per_device_train_batch_size: 4\ngradient_accumulation_steps: 4\nbf16: true\n");
        row("size inserted",
            "bf16: true\ngradient_accumulation_steps: 3\n"
            "num_train_epochs: 1\n",
            4,
            "bf16: true\ngradient_accumulation_steps: 6\nper_device_train_batch_size: 4\n"
            "num_train_epochs: 1\n");
        row("both inserted", "# run\nnum_train_epochs: 1\n", 2,
            "per_device_train_batch_size: 2\ngradient_accumulation_steps: 4\n# run\nnum_train_epochs: 1\n");
        row("only the size inserted", "num_train_epochs: 1\n", 8,
            "per_device_train_batch_size: 8\nnum_train_epochs: 1\n");
        row("without a final newline", "per_device_train_batch_size: 16", 8,
            "per_device_train_batch_size: 8\ngradient_accumulation_steps: 2");
        row("CRLF", "per_device_train_batch_size: 16\r\nbf16: true\r\n", 8,
            "per_device_train_batch_size: 8\r\ngradient_accumulation_steps: 2\r\nbf16: true\r\n");
        row("quoted keys", "\"per_device_train_batch_size\": 16\n'bf16': true\n", 8,
            "\"per_device_train_batch_size\": 8\n\"gradient_accumulation_steps\": 2\n'bf16': true\n");
        row("flow", "{per_device_train_batch_size: 16, gradient_accumulation_steps: 1}", 8,
            "{per_device_train_batch_size: 8, gradient_accumulation_steps: 2}");
        row("JSON", "{\n  \"per_device_train_batch_size\": 16,\n  \"gradient_accumulation_steps\": 1\n}\n", 8,
            "{\n  \"per_device_train_batch_size\": 8,\n  \"gradient_accumulation_steps\": 2\n}\n");
        row("an alias", "per_device_eval_batch_size: &size 16\nper_device_train_batch_size: *size\n", 8,
            "per_device_eval_batch_size: &size 16\nper_device_train_batch_size: 8\n"
            "gradient_accumulation_steps: 2\n");
        row("nothing written", "per_device_train_batch_size: 4\ngradient_accumulation_steps:\n", 2,
            "per_device_train_batch_size: 2\ngradient_accumulation_steps: 2\n");
        row("evaluation beside it", "per_device_eval_batch_size: 16\nper_device_train_batch_size: 2\n", 1,
            "per_device_eval_batch_size: 16\nper_device_train_batch_size: 1\n"
            "gradient_accumulation_steps: 2\n");
        row("the finder", "per_device_train_batch_size: 4\nauto_find_batch_size: True # helps\n", 4,
            "per_device_train_batch_size: 4\nauto_find_batch_size: false # helps\n");
    }
    void writesASize()
    {
        QFETCH(QByteArray, before);
        QFETCH(int, size);
        QTEST(written(before, trainSize(size)), "after");
    }

    void writesASizeOfEvaluation_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        const auto row = [](const char* name, const char* before, const char* after) {
            QTest::newRow(name) << QByteArray(before) << QByteArray(after);
        };
        row("in place", "per_device_train_batch_size: 4\nper_device_eval_batch_size: 8\n",
            "per_device_train_batch_size: 4\nper_device_eval_batch_size: 5\n");
        row("inserted", "eval_strategy: steps\nper_device_train_batch_size: 4\nbf16: true\n",
            "eval_strategy: steps\nper_device_train_batch_size: 4\nper_device_eval_batch_size: 5\n"
            "bf16: true\n");
        row("beside a finder", "do_eval: true\nauto_find_batch_size: true\nper_device_eval_batch_size: 8\n",
            "do_eval: true\nauto_find_batch_size: true\nper_device_eval_batch_size: 5\n");
        row("without evaluation", "per_device_train_batch_size: 4\n",
            "The config asks for no evaluation, so there is no place for its size; choose the other phase, "
            "or write eval_strategy.");
    }
    void writesASizeOfEvaluation()
    {
        QFETCH(QByteArray, before);
        QTEST(written(before, evalSize(5)), "after");
    }

    void refusesSizesThatAreNone()
    {
        const QByteArray text = "per_device_eval_batch_size: 4\n";
        for (std::int64_t size : {std::int64_t{0}, (std::int64_t{1} << 31) + 1}) {
            QVERIFY(written(text, evalSize(size)).startsWith("The micro-batch size is "));
            QVERIFY(written(text, trainSize(size)).startsWith("The micro-batch size is "));
        }
    }

    void keepsTheBatchOrAsks()
    {
        const auto format =
            recognise("per_device_train_batch_size: 4\ngradient_accumulation_steps: 3\nbf16: true\n");
        try {
            format->withMicroBatchSize(trainSize(5));
            QFAIL("A batch of 12 is no multiple of 5.");
        } catch (const BatchNotKept& choice) {
            QCOMPARE(choice.below(), std::optional<std::int64_t>(10));
            QCOMPARE(choice.above(), 15);
            QCOMPARE(choice.position().line, 2);
            QVERIFY(std::string_view(choice.what()).find(batchKey) != std::string_view::npos);
        }
        QCOMPARE(format->withMicroBatchSize(trainSize(5, 15)).text,
                 std::string("per_device_train_batch_size: 5\ngradient_accumulation_steps: 3\nbf16: true\n"));
        QVERIFY_THROWS_EXCEPTION(ConfigError, format->withMicroBatchSize(trainSize(5, 14)));
    }

    void saysWhatElseHasToAgree()
    {
        const SplicedText spliced =
            recognise("per_device_train_batch_size: 4\nauto_find_batch_size: true\ndeepspeed: ds.json\n")
                ->withMicroBatchSize(trainSize(2));
        QVERIFY(hasNote(spliced, "auto_find_batch_size is false now"));
        QVERIFY(hasNote(spliced, "DeepSpeed config of this run"));
        QCOMPARE(spliced.notes.size(), std::size_t{2});
    }

    void readsTheConfigOfZephyr()
    {
        if (!QFile::exists(zephyr))
            QSKIP("The shared configs are not on this computer.");
        const ConfigContents contents = read(textOf(zephyr));
        QCOMPARE(contents.formatName, std::string("Hugging Face TrainingArguments"));
        QVERIFY(contents.train == planOnOneDevice(16, 16, sizeKey, batchKey));
        QVERIFY(contents.eval == planOnOneDevice(8, 8, evalKey, evalKey));
        QCOMPARE(contents.sequenceLength, 2048);
        QCOMPARE(contents.precision, model::Precision::PureBf16);
        QCOMPARE(contents.optimizer, model::Optimizer::AdamW);
        const model::StepOptions step{.activationCheckpointing = true, .maxGradientNorm = 1.0};
        QVERIFY(contents.step == step);
        QVERIFY(hasWarning(contents, "bfloat16 alone"));
        // Mistral 7B, as its authors count it.
        QCOMPARE(model::parameterCount(std::get<model::ModelSpec>(contents.model)), 7241732096);
    }

    void changesTheConfigOfZephyr()
    {
        if (!QFile::exists(zephyr))
            QSKIP("The shared configs are not on this computer.");
        checkChangesTheseLines(zephyr, evalSize(3), "per_device_eval_batch_size: 8\n",
                               "per_device_eval_batch_size: 3\n");
        checkChangesTheseLines(zephyr, trainSize(8, 8), "per_device_train_batch_size: 16\n",
                               "per_device_train_batch_size: 8\n");
        const QByteArray before = QByteArray::fromStdString(textOf(zephyr));
        QByteArray after = before;
        after.replace("gradient_accumulation_steps: 1\n", "gradient_accumulation_steps: 4\n");
        after.replace("per_device_train_batch_size: 16\n", "per_device_train_batch_size: 4\n");
        QCOMPARE(written(before, trainSize(4)), after);
    }
};

BATCHPEAK_TEST(HuggingFaceTrainingFormatTest)
#include "tst_hugging_face_training_format.moc"
