// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/test_main.h"
#include "trainer_test_data.h"

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

const std::string microKey = "train_micro_batch_size_per_gpu";

ConfigContents read(const QByteArray& text)
{
    return recognise(text.toStdString())->read();
}

/// The three numbers as T, M and G; absent where they are empty.
QByteArray sizes(const char* batch, const char* micro, const char* steps)
{
    QByteArray text = "{";
    const auto add = [&text](const char* key, const char* value) {
        if (*value != '\0')
            text += QByteArray("\n  \"") + key + "\": " + value + ",";
    };
    add("train_batch_size", batch);
    add("train_micro_batch_size_per_gpu", micro);
    add("gradient_accumulation_steps", steps);
    return text + "\n  \"zero_optimization\": {\"stage\": 0}\n}\n";
}

constexpr const char* filledIn = "\"auto\"";

} // namespace

class DeepSpeedFormatTest : public QObject
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
        row("a size", R"({"train_micro_batch_size_per_gpu": 1})", true);
        row("a batch", R"({"train_batch_size": 1})", true);
        row("how it is shared out", R"({"zero_optimization": {"stage": 2}})", true);
        row("with comments", "// run\n{\"train_batch_size\": 1 /* one */}", true);
        row("no JSON", "train_batch_size: 1\n", false);
        row("TrainingArguments", R"({"per_device_train_batch_size": 1})", false);
        row("a network", R"({"model_type": "gpt2", "n_embd": 8})", false);
    }
    void isKnownByItsKeys()
    {
        QFETCH(QByteArray, text);
        QFETCH(bool, isKnown);
        bool isDeepSpeed = false;
        try {
            isDeepSpeed = recognise(text.toStdString())->name() == "DeepSpeed";
        } catch (const ConfigError&) {
        }
        QCOMPARE(isDeepSpeed, isKnown);
    }

    void readsBatches_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<qint64>("size");
        QTest::addColumn<qint64>("batch");
        QTest::addColumn<qint64>("devices");
        QTest::addColumn<bool>("knowsDevices");
        const auto row = [](const char* name, const QByteArray& text, qint64 size, qint64 batch,
                            qint64 devices) {
            QTest::newRow(name) << text << size << batch << std::max(devices, qint64{1}) << (devices > 0);
        };
        row("all three", sizes("48", "4", "3"), 4, 48, 4);
        row("all three on one device", sizes("12", "4", "3"), 4, 12, 1);
        row("batch and size", sizes("48", "4", ""), 4, 48, 0);
        row("batch and steps", sizes("48", "", "3"), 16, 48, 0);
        row("size and steps", sizes("", "4", "3"), 4, 12, 0);
        row("batch", sizes("48", "", ""), 48, 48, 0);
        row("size", sizes("", "4", ""), 4, 4, 0);
        row("null counts as absent", sizes("null", "4", "null"), 4, 4, 0);
        row("batch, the rest filled in", sizes("48", filledIn, filledIn), 0, 48, 0);
        row("batch and size, steps filled in", sizes("48", "4", filledIn), 4, 48, 0);
        row("batch and steps, size filled in", sizes("48", filledIn, "3"), 0, 48, 0);
        row("batch, steps filled in", sizes("48", "", filledIn), 0, 48, 0);
        row("size and steps, batch filled in", sizes(filledIn, "4", "3"), 4, 12, 0);
        row("all filled in", sizes(filledIn, filledIn, filledIn), 0, 1, 0);
        row("size, the rest filled in", sizes(filledIn, "4", filledIn), 4, 1, 0);
        row("size, batch filled in", sizes(filledIn, "4", ""), 4, 1, 0);
        row("steps, the rest filled in", sizes(filledIn, filledIn, "3"), 0, 1, 0);
        row("size filled in", sizes("", filledIn, ""), 0, 1, 0);
        row("batch filled in", sizes(filledIn, "", ""), 0, 1, 0);
    }
    void readsBatches()
    {
        QFETCH(QByteArray, text);
        QFETCH(qint64, size);
        const ConfigContents contents = read(text);
        QVERIFY(!contents.eval);
        const BatchPlan plan = *contents.train;
        QCOMPARE(plan.presentSize, size > 0 ? std::optional<std::int64_t>(size) : std::nullopt);
        QCOMPARE(plan.setting, Setting(Explore{}));
        QCOMPARE(plan.microBatchKey, microKey);
        QTEST(qint64{plan.globalBatchSize}, "batch");
        QTEST(qint64{plan.devices}, "devices");
        QTEST(plan.knowsDevices, "knowsDevices");
    }

    void saysWhatIsNotThere()
    {
        const ConfigContents unknown = read(sizes(filledIn, filledIn, filledIn));
        QVERIFY(hasWarning(unknown, "The batch is \"auto\""));
        QCOMPARE(unknown.warnings.front().position.line, 3);
        QVERIFY(hasWarning(read(sizes("48", "4", "")), "does not say over how many devices"));
        QVERIFY(read(sizes("48", "4", "3")).warnings.empty());
        QVERIFY(read(sizes("", "4", "3")).warnings.empty());
        const auto& none = std::get<UnsupportedModel>(unknown.model);
        QVERIFY(none.isElsewhere);
        QCOMPARE(unknown.sequenceLength, 0);
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
        row(R"("bf16": {"enabled": true})", "pure-bf16");
        row(R"("bfloat16": {"enabled": true})", "pure-bf16");
        row(R"("bf16": {})", "fp32");
        row(R"("fp16": {"enabled": false})", "fp32");
        row(R"("fp16": {"enabled": true})", "pure-bf16", "float16 with loss scaling");
        row(R"("fp16": {"enabled": "auto"})", "pure-bf16", "fp16.enabled is \"auto\"");
        row(R"("fp16": {"enabled": "auto"}, "bf16": {"enabled": "auto"})", "pure-bf16",
            "bf16.enabled is \"auto\"");
        row(R"("fp16": {"enabled": true}, "bf16": {"enabled": "auto"})", "pure-bf16",
            "float16 with loss scaling");
    }
    void readsPrecision()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, warning);
        const ConfigContents contents = read("{\"train_micro_batch_size_per_gpu\": 1, " + text + "}");
        const std::string_view precision = model::toText(contents.precision);
        QTEST(QByteArray(precision.data(), static_cast<qsizetype>(precision.size())), "precision");
        QCOMPARE(contents.warnings.size(), std::size_t{warning.isEmpty() ? 0U : 1U});
        QVERIFY(warning.isEmpty() || hasWarning(contents, warning.toStdString()));
    }

    void readsTheStep_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<double>("norm");
        QTest::newRow("nothing") << QByteArray(R"("steps_per_print": 1)") << 0.0;
        QTest::newRow("a norm") << QByteArray(R"("gradient_clipping": 0.5)") << 0.5;
        QTest::newRow("the Trainer's") << QByteArray(R"("gradient_clipping": "auto")") << 1.0;
    }
    void readsTheStep()
    {
        QFETCH(QByteArray, text);
        const ConfigContents contents = read("{\"train_micro_batch_size_per_gpu\": 1, " + text + "}");
        QTEST(contents.step.maxGradientNorm, "norm");
        QVERIFY(!contents.step.activationCheckpointing);
        QCOMPARE(contents.optimizer, model::Optimizer::AdamW);
    }

    void saysWhatTrialsDoOtherwise_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("warning");
        const auto row = [](const char* text, const char* warning) {
            QTest::newRow(QByteArray(text).replace('\n', "; ").constData())
                << QByteArray(text) << QByteArray(warning);
        };
        row(R"("zero_optimization": {"stage": 1})", "ZeRO spreads");
        row(R"("zero_optimization": true)", "ZeRO spreads");
        row(R"("zero_optimization": {"offload_optimizer": {"device": "cpu"}})",
            "zero_optimization.offload_optimizer moves");
        row(R"("zero_optimization": {"offload_param": {"device": "nvme"}})",
            "zero_optimization.offload_param moves");
        row(R"("zero_optimization": {"cpu_offload": true})", "zero_optimization.cpu_offload moves");
        row(R"("activation_checkpointing": {"cpu_checkpointing": true})", "only says how");
        row(R"("optimizer": {"type": "Lamb"})", "optimizer Lamb");
    }
    void saysWhatTrialsDoOtherwise()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, warning);
        const ConfigContents contents = read("{\"train_micro_batch_size_per_gpu\": 1,\n" + text + "}");
        QCOMPARE(contents.warnings.size(), std::size_t{1});
        QVERIFY2(hasWarning(contents, warning.toStdString()), contents.warnings.front().sentence.c_str());
        QCOMPARE(contents.warnings.front().position.line, 2);
    }

    void saysNothingOfWhatIsSwitchedOff()
    {
        QVERIFY(read(R"({"train_micro_batch_size_per_gpu": 1, "optimizer": {"type": "AdamW"},
                         "zero_optimization": {"stage": 0, "offload_param": {"device": "none"},
                                               "offload_optimizer": null}})")
                    .warnings.empty());
    }

    void namesWhatIsWrong_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("named");
        QTest::addColumn<int>("line");
        QTest::addColumn<int>("column");
        const auto row = [](const char* name, const QByteArray& text, const char* named, int line,
                            int column) {
            QTest::newRow(name) << text << QString::fromLatin1(named) << line << column;
        };
        row("no batch", sizes("", "", ""), "needs one", 1, 1);
        row("steps alone", sizes("", "", "3"), "needs one", 1, 1);
        row("steps filled in alone", sizes("", "", filledIn), "needs one", 1, 1);
        row("three at odds", sizes("50", "4", "3"), "no multiple of 12", 2, 23);
        row("batch and size at odds", sizes("50", "4", ""), "no multiple of 4", 2, 23);
        row("batch and steps at odds", sizes("50", filledIn, "4"),
            "no multiple of 4, which is gradient_accumulation_steps", 2, 23);
        row("no sample", sizes("", "0", ""), "at least 1", 2, 37);
        row("a word", sizes("", "\"big\"", ""), "whole number", 2, 37);
        row("half a sample", sizes("", "1.5", ""), "whole number", 2, 37);
        row("no clipping below nothing", R"({"train_batch_size": 1, "gradient_clipping": -1})", "no clipping",
            1, 46);
        row("two precisions",
            R"({"train_batch_size": 1, "fp16": {"enabled": true}, "bf16": {"enabled": true}})", "beside bf16",
            1, 33);
        row("elastic", R"({"zero_optimization": {}, "elasticity": {"enabled": true}})",
            "chooses all batch sizes itself", 1, 41);
        row("a comma too many", "{\"train_batch_size\": 1,}", "not valid JSON", 1, 24);
        row("a comment where the Trainer reads", "{\"train_batch_size\": \"auto\" // x\n}", "not valid JSON",
            1, 29);
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
        QTest::addColumn<QByteArray>("after");
        QTest::addColumn<QByteArray>("note");
        const auto row = [](const char* name, const QByteArray& before, const QByteArray& after,
                            const char* note = "") {
            QTest::newRow(name) << before << after << QByteArray(note);
        };
        row("all three", sizes("48", "4", "3"), sizes("48", "6", "2"));
        row("batch and size", sizes("48", "4", ""), sizes("48", "6", ""), "a multiple of 6 times");
        row("batch and steps", sizes("48", "", "3"), sizes("48", "6", "8"), "right for one device");
        row("size and steps", sizes("", "4", "3"), sizes("", "6", "2"));
        row("batch", sizes("48", "", ""), sizes("48", "6", ""), "a multiple of 6 times");
        row("size", sizes("", "12", ""), sizes("", "6", "2"));
        row("size as it is", sizes("", "6", ""), sizes("", "6", ""));
        row("batch, the rest filled in", sizes("48", filledIn, filledIn), sizes("48", "6", filledIn),
            "write per_device_train_batch_size 6");
        row("batch and size, steps filled in", sizes("48", "4", filledIn), sizes("48", "6", filledIn),
            "write per_device_train_batch_size 6");
        row("batch and steps, size filled in", sizes("48", filledIn, "3"), sizes("48", "6", "8"),
            "right for one device");
        row("size and steps, batch filled in", sizes(filledIn, "4", "3"), sizes(filledIn, "6", "2"),
            "write per_device_train_batch_size 6");
        row("all filled in", sizes(filledIn, filledIn, filledIn), sizes(filledIn, "6", filledIn),
            "write per_device_train_batch_size 6");
        row("size, the rest filled in", sizes(filledIn, "4", filledIn), sizes(filledIn, "6", filledIn),
            "write per_device_train_batch_size 6");
        row("size, batch filled in", sizes(filledIn, "4", ""), sizes(filledIn, "6", ""),
            "write per_device_train_batch_size 6");
        row("steps, the rest filled in", sizes(filledIn, filledIn, "3"), sizes(filledIn, "6", filledIn),
            "gradient_accumulation_steps is \"auto\" now");
        row("size filled in", sizes("", filledIn, ""), sizes("", "6", filledIn),
            "gradient_accumulation_steps is \"auto\" now");
        row("batch filled in", sizes(filledIn, "", ""), sizes(filledIn, "6", ""),
            "write per_device_train_batch_size 6");
        row("comments and tabs", "{ // all\n\t\"train_micro_batch_size_per_gpu\":12, /* 12 */\n\t\"x\":1}",
            "{ // all\n\t\"train_micro_batch_size_per_gpu\":6, /* 12 */\n"
            "\t\"gradient_accumulation_steps\": 2,\n\t\"x\":1}");
        row("a comment of several lines",
            "{\n  \"train_micro_batch_size_per_gpu\": 12, /* 12\n  samples */\n  \"x\": 1\n}",
            "{\n  \"gradient_accumulation_steps\": 2,\n  \"train_micro_batch_size_per_gpu\": 6, /* 12\n"
            "  samples */\n  \"x\": 1\n}");
        row("CRLF",
            "{\r\n  \"train_micro_batch_size_per_gpu\": 12,\r\n  \"gradient_accumulation_steps\": 1\r\n}",
            "{\r\n  \"train_micro_batch_size_per_gpu\": 6,\r\n  \"gradient_accumulation_steps\": 2\r\n}");
    }
    void writesASize()
    {
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, note);
        QTEST(written(before, trainSize(6)), "after");
        const SplicedText spliced = recognise(before.toStdString())->withMicroBatchSize(trainSize(6));
        QCOMPARE(spliced.notes.empty(), note.isEmpty());
        QVERIFY(note.isEmpty() || hasNote(spliced, note.toStdString()));
    }

    void keepsTheBatchOrAsks_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<int>("below");
        QTest::addColumn<int>("above");
        QTest::addColumn<QByteArray>("after");
        const auto row = [](const char* name, const QByteArray& before, int below, int above,
                            const QByteArray& after) {
            QTest::newRow(name) << before << below << above << after;
        };
        row("all three on 4 devices", sizes("48", "4", "3"), 40, 60, sizes("60", "5", "3"));
        row("batch and size", sizes("48", "4", ""), 45, 50, sizes("50", "5", ""));
        row("size and steps", sizes("", "4", "3"), 10, 15, sizes("", "5", "3"));
        row("size", sizes("", "4", ""), 0, 5, sizes("", "5", ""));
        row("batch filled in", sizes(filledIn, "4", "3"), 10, 15, sizes(filledIn, "5", "3"));
    }
    void keepsTheBatchOrAsks()
    {
        QFETCH(QByteArray, before);
        QFETCH(int, below);
        QFETCH(int, above);
        const auto format = recognise(before.toStdString());
        try {
            format->withMicroBatchSize(trainSize(5));
            QFAIL("No batch here is a multiple of 5.");
        } catch (const BatchNotKept& choice) {
            QCOMPARE(choice.below(), below > 0 ? std::optional<std::int64_t>(below) : std::nullopt);
            QCOMPARE(choice.above(), above);
            QVERIFY(choice.position().line > 1);
        }
        QTEST(written(before, trainSize(5, above)), "after");
    }

    void leavesTheBatchToTheTrainer()
    {
        QVERIFY(written(sizes(filledIn, filledIn, filledIn), trainSize(5, 10))
                    .contains("choose the batch there"));
    }

    void hasNoSizeOfEvaluation()
    {
        QVERIFY(written(sizes("", "4", ""), evalSize(5)).contains("no size for evaluation"));
    }

    void refusesSizesThatAreNone()
    {
        for (const QByteArray& text : {sizes("", "4", ""), sizes(filledIn, filledIn, filledIn)})
            QVERIFY(written(text, trainSize(0)).startsWith("The micro-batch size is 0"));
    }

    void changesRealConfigs_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        const auto row = [](const char* file, const char* before, const char* after) {
            QTest::newRow(file) << otherConfigs + QStringLiteral("deepspeed/") + QString::fromLatin1(file)
                                << QByteArray(before) << QByteArray(after);
        };
        row("ds_config_func_bs8_zero2_gas3.json",
            "\"train_micro_batch_size_per_gpu\": 8,\n  \"gradient_accumulation_steps\": 3,",
            "\"train_micro_batch_size_per_gpu\": 4,\n  \"gradient_accumulation_steps\": 6,");
        row("zero2.json", "\"train_micro_batch_size_per_gpu\": \"auto\"",
            "\"train_micro_batch_size_per_gpu\": 4");
        row("ds_z2_config.json", "\"train_micro_batch_size_per_gpu\": \"auto\"",
            "\"train_micro_batch_size_per_gpu\": 4");
    }
    void changesRealConfigs()
    {
        QFETCH(QString, file);
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, after);
        if (!QFile::exists(file))
            QSKIP("The shared configs are not on this computer.");
        const ConfigContents contents = recognise(textOf(file))->read();
        QCOMPARE(contents.formatName, std::string("DeepSpeed"));
        QCOMPARE(contents.precision, model::Precision::PureBf16);
        QCOMPARE(contents.step.maxGradientNorm, 1.0);
        QVERIFY(hasWarning(contents, "ZeRO spreads"));
        checkChangesTheseLines(file, trainSize(4), before, after);
    }
};

BATCHPEAK_TEST(DeepSpeedFormatTest)
#include "tst_deep_speed_format.moc"
