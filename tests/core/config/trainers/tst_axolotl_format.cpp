// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/test_main.h"
#include "trainer_test_data.h"

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

const std::string top = "base_model: nobody/nothing\n";
const std::string batchOfFour = "micro_batch_size: 2\ngradient_accumulation_steps: 2\n";
const std::string batchKey = "micro_batch_size * gradient_accumulation_steps";
const QString lora = otherConfigs + QStringLiteral("axolotl/lora-1b.yml");

ConfigContents read(const std::string& rest)
{
    return recognise(top + rest)->read();
}

QByteArray rewritten(const char* rest, const ChosenSize& chosen)
{
    const QByteArray head = QByteArray::fromStdString(top);
    const QByteArray after = written(head + rest, chosen);
    return after.startsWith(head) ? after.mid(head.size()) : after;
}

} // namespace

class AxolotlFormatTest : public QObject
{
    Q_OBJECT

private slots:
    void isKnownByItsKeys_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("isKnown");
        const auto row = [](const char* name, const char* text, bool isKnown) {
            QTest::newRow(name) << QByteArray(text) << isKnown;
        };
        row("a size", "base_model: gpt2\nmicro_batch_size: 2\ngradient_accumulation_steps: 2\n", true);
        row("datasets", "base_model: gpt2\ndatasets: []\n", true);
        row("a length", "base_model: gpt2\nsequence_len: 8\n", true);
        row("a network alone", "base_model: gpt2\nmerge_method: slerp\n", false);
        row("a size alone", "micro_batch_size: 2\ngradient_accumulation_steps: 2\n", false);
    }
    void isKnownByItsKeys()
    {
        QFETCH(QByteArray, text);
        QFETCH(bool, isKnown);
        bool isAxolotl = false;
        try {
            isAxolotl = recognise(text.toStdString())->name() == "axolotl";
        } catch (const ConfigError&) {
        }
        QCOMPARE(isAxolotl, isKnown);
    }

    void takesDefaultsOfTheTrainer()
    {
        const ConfigContents contents = read(batchOfFour);
        QCOMPARE(contents.formatName, std::string("axolotl"));
        QVERIFY(contents.train == planOnOneDevice(2, 4, "micro_batch_size", batchKey));
        QVERIFY(!contents.eval);
        QCOMPARE(contents.sequenceLength, 512);
        QCOMPARE(contents.precision, model::Precision::PureBf16);
        QCOMPARE(contents.optimizer, model::Optimizer::AdamW);
        const model::StepOptions step{.maxGradientNorm = 1.0};
        QVERIFY(contents.step == step);
        const auto& unknown = std::get<UnsupportedModel>(contents.model);
        QVERIFY(unknown.isElsewhere);
        QCOMPARE(unknown.position.line, 1);
        QCOMPARE(contents.warnings.size(), std::size_t{1});
        QVERIFY(hasWarning(contents, "bfloat16 alone"));
    }

    void readsWhatIsWritten()
    {
        const ConfigContents contents = read(batchOfFour + "sequence_len: 4096\nval_set_size: 0.1\n"
                                                           "eval_batch_size: 2\nbf16: false\ntf32: true\n"
                                                           "optimizer: sgd\ngradient_checkpointing: true\n"
                                                           "max_grad_norm: 0.3\n");
        QVERIFY(contents.eval == planOnOneDevice(2, 2, "eval_batch_size", "eval_batch_size"));
        QCOMPARE(contents.sequenceLength, 4096);
        QCOMPARE(contents.precision, model::Precision::Tf32);
        QCOMPARE(contents.optimizer, model::Optimizer::Sgd);
        const model::StepOptions step{.activationCheckpointing = true, .maxGradientNorm = 0.3};
        QVERIFY(contents.step == step);
        QVERIFY(contents.warnings.empty());
    }

    void takesTheDeprecatedBatch()
    {
        const ConfigContents whole = read("micro_batch_size: 4\nbatch_size: 12\n");
        QVERIFY(whole.train == planOnOneDevice(4, 12, "micro_batch_size", "batch_size"));
        QVERIFY(hasWarning(whole, "takes batch_size for deprecated; it is that of one device."));
        const ConfigContents cut = read("micro_batch_size: 4\nbatch_size: 14\n");
        QCOMPARE(cut.train->globalBatchSize, 12);
        QVERIFY(hasWarning(cut, "a step takes 12 samples"));
    }

    void evaluatesWhereItSetsSomethingAside_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("size");
        const auto row = [](const char* text, int size) {
            QTest::newRow(QByteArray(text).replace('\n', "; ").constData()) << QByteArray(text) << size;
        };
        row("val_set_size: 0.05", 2);
        row("val_set_size: 0", 0);
        row("val_set_size: 0.0", 0);
        row("val_set_size:", 0);
        row("test_datasets: [{path: x}]", 2);
        row("test_datasets: []", 0);
        row("eval_batch_size: 8", 8);
    }
    void evaluatesWhereItSetsSomethingAside()
    {
        QFETCH(QByteArray, text);
        QFETCH(int, size);
        const ConfigContents contents = read(batchOfFour + text.toStdString() + "\n");
        QCOMPARE(contents.eval.has_value(), size > 0);
        if (size > 0)
            QVERIFY(contents.eval == planOnOneDevice(size, size, "eval_batch_size", "eval_batch_size"));
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
        row("bf16: auto", "pure-bf16", "bfloat16 alone");
        row("bf16: full", "pure-bf16", "bfloat16 alone");
        row("bf16: false\nbfloat16: true", "pure-bf16", "bfloat16 alone");
        row("fp16: true", "pure-bf16", "float16 with loss scaling");
        row("bf16: auto\nfp16: true", "pure-bf16", "float16 with loss scaling");
        row("bf16: true\nfp16: true", "pure-bf16", "bfloat16 alone");
        row("bf16: false", "tf32");
        row("bf16: false\ntf32: auto", "tf32");
        row("bf16: false\ntf32: false", "fp32");
    }
    void readsPrecision()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, warning);
        const ConfigContents contents = read(batchOfFour + text.toStdString() + "\n");
        const std::string_view precision = model::toText(contents.precision);
        QTEST(QByteArray(precision.data(), static_cast<qsizetype>(precision.size())), "precision");
        QCOMPARE(contents.warnings.size(), std::size_t{warning.isEmpty() ? 0U : 1U});
        QVERIFY(warning.isEmpty() || hasWarning(contents, warning.toStdString()));
    }

    void saysWhatTrialsDoOtherwise_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("warning");
        const auto row = [](const char* text, const char* warning) {
            QTest::newRow(QByteArray(text).replace('\n', "; ").constData())
                << QByteArray(text) << QByteArray(warning);
        };
        row("optimizer: adamw_8bit", "optimizer adamw_8bit");
        row("sample_packing: true", "sample_packing puts several");
        row("load_in_4bit: true", "load_in_4bit quantises");
        row("gradient_checkpointing: offload", "gradient_checkpointing moves");
        row("deepspeed: zero2.json", "deepspeed can spread");
        row("fsdp: [full_shard]\nfsdp_config: {offload_params: true}", "fsdp spreads");
        row("fsdp_config: {offload_params: true}", "fsdp_config is for");
        row("eval_batch_size: 1", "memory may become unstable");
        row("auto_find_batch_size: true", "auto_find_batch_size is on");
    }
    void saysWhatTrialsDoOtherwise()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, warning);
        const ConfigContents contents = read(batchOfFour + "bf16: false\n" + text.toStdString() + "\n");
        QCOMPARE(contents.warnings.size(), std::size_t{1});
        QVERIFY2(hasWarning(contents, warning.toStdString()), contents.warnings.front().sentence.c_str());
        QCOMPARE(contents.warnings.front().position.line, 5);
    }

    void refusesTrialsOfOtherRuns_data()
    {
        QTest::addColumn<QByteArray>("text");
        for (const char* text : {"adapter: qlora", "unfrozen_parameters: [lm_head]", "rl: dpo",
                                 "reward_model: true", "tensor_parallel_size: 2", "context_parallel_size: 2"})
            QTest::newRow(QByteArray(text).replace('\n', "; ").constData()) << QByteArray(text);
    }
    void refusesTrialsOfOtherRuns()
    {
        QFETCH(QByteArray, text);
        const ConfigContents contents = read(batchOfFour + text.toStdString() + "\n");
        const auto& refused = std::get<UnsupportedModel>(contents.model);
        QVERIFY(!refused.isElsewhere);
        QVERIFY2(refused.sentence.find("would measure another run") != std::string::npos,
                 refused.sentence.c_str());
        QCOMPARE(refused.position.line, 4);
    }

    void takesNoAdapterAndWholeNetworks()
    {
        const ConfigContents contents =
            read(batchOfFour + "adapter:\ntensor_parallel_size: 1\nunfrozen_parameters:\nrl: null\n");
        QVERIFY(std::get<UnsupportedModel>(contents.model).isElsewhere);
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
        row("one of three", "micro_batch_size: 2\n", "gradient_accumulation_steps is missing", 1, 1);
        row("no size", "gradient_accumulation_steps: 2\nnum_epochs: 1\n", "micro_batch_size is missing", 1,
            1);
        row("all three", "micro_batch_size: 2\ngradient_accumulation_steps: 2\nbatch_size: 4\n",
            "of which axolotl takes one", 4, 13);
        row("a batch below its part", "micro_batch_size: 4\nbatch_size: 2\n", "less than micro_batch_size", 3,
            13);
        row("no sample", "micro_batch_size: 0\ngradient_accumulation_steps: 2\n", "at least 1", 2, 19);
        row("a length of nothing", "micro_batch_size: 1\nbatch_size: 1\nsequence_len: 0\n", "at least 1", 4,
            15);
        row("a norm below nothing", "micro_batch_size: 1\nbatch_size: 1\nmax_grad_norm: -1\n", "no clipping",
            4, 16);
    }
    void namesWhatIsWrong()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, named);
        const ReadingError error = errorOfReading(top + text.toStdString());
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
        row("larger", "gradient_accumulation_steps: 4 # x\nmicro_batch_size: 2\n", 8,
            "gradient_accumulation_steps: 1 # x\nmicro_batch_size: 8\n");
        row("an anchor", "micro_batch_size: &m 4\neval_batch_size: *m\ngradient_accumulation_steps: 1\n", 2,
            "micro_batch_size: &m 2\neval_batch_size: *m\ngradient_accumulation_steps: 2\n");
        row("CRLF", "micro_batch_size: 2\r\ngradient_accumulation_steps: 2\r\n", 1,
            "micro_batch_size: 1\r\ngradient_accumulation_steps: 4\r\n");
        row("without a final newline", "micro_batch_size: 2\ngradient_accumulation_steps: 2", 1,
            "micro_batch_size: 1\ngradient_accumulation_steps: 4");
        row("the deprecated batch stays", "micro_batch_size: 2\nbatch_size: 8\n", 4,
            "micro_batch_size: 4\nbatch_size: 8\n");
        row("the deprecated batch as it is run", "micro_batch_size: 4\nbatch_size: 14\n", 6,
            "micro_batch_size: 6\nbatch_size: 12\n");
        row("the finder", "micro_batch_size: 2\nauto_find_batch_size: yes\nbatch_size: 2\n", 1,
            "micro_batch_size: 1\nauto_find_batch_size: false\nbatch_size: 2\n");
        row("evaluation beside it",
            "micro_batch_size: 2\neval_batch_size: 2\ngradient_accumulation_steps: 2\n", 4,
            "micro_batch_size: 4\neval_batch_size: 2\ngradient_accumulation_steps: 1\n");
        row("a text over devices, packed",
            "micro_batch_size: 1\ngradient_accumulation_steps: 4\nsample_packing: true\n"
            "context_parallel_size: 2\n",
            2,
            "axolotl takes a micro_batch_size of 1 alone with sample_packing where a text is cut over "
            "devices "
            "(context_parallel_size); write 1, or switch either off.");
        row("a text over devices, packed, one by one",
            "micro_batch_size: 2\ngradient_accumulation_steps: 4\nsample_packing: true\n"
            "context_parallel_size: 2\n",
            1,
            "micro_batch_size: 1\ngradient_accumulation_steps: 8\nsample_packing: true\n"
            "context_parallel_size: 2\n");
        row("a text over devices", "micro_batch_size: 1\nbatch_size: 4\ncontext_parallel_size: 2\n", 2,
            "micro_batch_size: 2\nbatch_size: 4\ncontext_parallel_size: 2\n");
    }
    void writesASize()
    {
        QFETCH(QByteArray, before);
        QFETCH(int, size);
        QTEST(rewritten(before.constData(), trainSize(size)), "after");
    }

    void writesASizeOfEvaluation_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        const auto row = [](const char* name, const char* before, const char* after) {
            QTest::newRow(name) << QByteArray(before) << QByteArray(after);
        };
        row("in place", "micro_batch_size: 2\neval_batch_size: 2\nbatch_size: 4\n",
            "micro_batch_size: 2\neval_batch_size: 5\nbatch_size: 4\n");
        row("inserted", "micro_batch_size: 2\nbatch_size: 4\nval_set_size: 0.1\n",
            "micro_batch_size: 2\neval_batch_size: 5\nbatch_size: 4\nval_set_size: 0.1\n");
        row("without evaluation", "micro_batch_size: 2\nbatch_size: 4\n",
            "The config sets nothing aside to evaluate on, so there is no place for its size; choose the "
            "other "
            "phase, or write val_set_size.");
    }
    void writesASizeOfEvaluation()
    {
        QFETCH(QByteArray, before);
        QTEST(rewritten(before.constData(), evalSize(5)), "after");
    }

    void keepsTheBatchOrAsks_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        const auto row = [](const char* name, const char* before, const char* after) {
            QTest::newRow(name) << QByteArray(before) << QByteArray(after);
        };
        row("by steps", "micro_batch_size: 4\ngradient_accumulation_steps: 4\n",
            "micro_batch_size: 5\ngradient_accumulation_steps: 3\n");
        row("by the deprecated batch", "micro_batch_size: 4\nbatch_size: 16\n",
            "micro_batch_size: 5\nbatch_size: 15\n");
    }
    void keepsTheBatchOrAsks()
    {
        QFETCH(QByteArray, before);
        const auto format = recognise(top + before.toStdString());
        try {
            format->withMicroBatchSize(trainSize(5));
            QFAIL("A batch of 16 is no multiple of 5.");
        } catch (const BatchNotKept& choice) {
            QCOMPARE(choice.below(), std::optional<std::int64_t>(15));
            QCOMPARE(choice.above(), 20);
            QCOMPARE(choice.position().line, 3);
        }
        QTEST(rewritten(before.constData(), trainSize(5, 15)), "after");
    }

    void saysWhatFollows()
    {
        const SplicedText alike =
            recognise(top + batchOfFour + "val_set_size: 0.1\n")->withMicroBatchSize(trainSize(4));
        QVERIFY(hasNote(alike, "Evaluation takes the same size"));
        const SplicedText apart =
            recognise(top + batchOfFour + "eval_batch_size: 2\n")->withMicroBatchSize(trainSize(4));
        QVERIFY(hasNote(apart, "eval_batch_size stays 2"));
        QCOMPARE(apart.notes.size(), std::size_t{1});
    }

    void readsTheConfigOfLora()
    {
        if (!QFile::exists(lora))
            QSKIP("The shared configs are not on this computer.");
        const ConfigContents contents = recognise(textOf(lora))->read();
        QCOMPARE(contents.formatName, std::string("axolotl"));
        QVERIFY(contents.train == planOnOneDevice(2, 4, "micro_batch_size", batchKey));
        QVERIFY(contents.eval == planOnOneDevice(2, 2, "eval_batch_size", "eval_batch_size"));
        QCOMPARE(contents.sequenceLength, 2048);
        QCOMPARE(contents.precision, model::Precision::PureBf16);
        const model::StepOptions step{.activationCheckpointing = true, .maxGradientNorm = 1.0};
        QVERIFY(contents.step == step);
        QVERIFY(!std::get<UnsupportedModel>(contents.model).isElsewhere);
        QVERIFY(hasWarning(contents, "adamw_8bit"));
        QVERIFY(hasWarning(contents, "sample_packing"));
    }

    void changesTheConfigOfLora()
    {
        if (!QFile::exists(lora))
            QSKIP("The shared configs are not on this computer.");
        checkChangesTheseLines(lora, trainSize(4), "gradient_accumulation_steps: 2\nmicro_batch_size: 2\n",
                               "gradient_accumulation_steps: 1\nmicro_batch_size: 4\n");
        checkChangesTheseLines(lora, evalSize(3), "micro_batch_size: 2\n",
                               "micro_batch_size: 2\neval_batch_size: 3\n");
    }
};

BATCHPEAK_TEST(AxolotlFormatTest)
#include "tst_axolotl_format.moc"
