// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_test_data.h"
#include "support/test_main.h"

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

const std::string formatName = "Hugging Face config.json";

const std::string gpt2Json = R"({
  "architectures": ["GPT2LMHeadModel"],
  "model_type": "gpt2",
  "n_embd": 64,
  "n_head": 4,
  "n_positions": 128
}
)";

/// The format that a text is taken for; empty where it is none.
std::string formatOf(const std::string& text)
{
    try {
        return std::string(recognise(text)->name());
    } catch (const ConfigError&) {
        return {};
    }
}

} // namespace

class HuggingFaceConfigFormatTest : public QObject
{
    Q_OBJECT

private slots:
    void recognisesByContent_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("isConfigJson");
        const auto row = [](const char* name, const char* text, bool isConfigJson) {
            QTest::newRow(name) << QByteArray(text) << isConfigJson;
        };
        row("smallest", R"({"model_type": "gpt2"})", true);
        row("unknown type", R"({"model_type": "gpt_neox"})", true);
        row("where it came from", R"({"_name_or_path": "gpt2", "model_type": "gpt2"})", true);
        row("comments", "{\"model_type\": \"gpt2\" // small\n}", true);
        row("axolotl", "base_model: gpt2\nmodel_type: GPT2LMHeadModel\n", false);
        row("YAML", "model_type: gpt2\n", false);
        row("YAML in quotes", "model_type: \"gpt2\"\n", false);
        row("flow mapping of YAML", "{model_type: gpt2}", false);
        row("type that is a number", R"({"model_type": 1})", false);
        row("type that is a mapping", R"({"model_type": {"a": "b"}})", false);
        row("arguments of a training", R"({"model_type": "gpt2", "output_dir": "out"})", false);
        row("trainer", R"({"model_name_or_path": "gpt2", "model_type": "gpt2"})", false);
        row("DeepSpeed", R"({"train_micro_batch_size_per_gpu": 8})", false);
        row("a list", R"([{"model_type": "gpt2"}])", false);
    }
    void recognisesByContent()
    {
        QFETCH(QByteArray, text);
        QFETCH(bool, isConfigJson);
        QCOMPARE(formatOf(text.toStdString()) == formatName, isConfigJson);
    }

    void readsANetworkAlone()
    {
        const ConfigContents contents = recognise(gpt2Json)->read();
        QCOMPARE(contents.formatName, formatName);
        const auto* spec = std::get_if<model::ModelSpec>(&contents.model);
        QVERIFY(spec);
        QCOMPARE(spec->family, std::string("gpt2"));
        QVERIFY(!contents.train);
        QVERIFY(!contents.eval);
        QCOMPARE(contents.sequenceLength, 128);
        QVERIFY(!contents.targetLength);
        QVERIFY(contents.warnings.empty());
    }

    void readsBothLengthsOfAPair()
    {
        const ConfigContents contents = recognise(R"({"model_type": "t5"})")->read();
        QCOMPARE(contents.sequenceLength, 512);
        QCOMPARE(contents.targetLength, std::optional<std::int64_t>(114));
    }

    void readsStrictJson_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("line");
        QTest::newRow("comment") << QByteArray("{\n\"model_type\": \"gpt2\" // small\n}") << 2;
        QTest::newRow("comma") << QByteArray("{\n\"model_type\": \"gpt2\",\n}") << 3;
    }
    void readsStrictJson()
    {
        QFETCH(QByteArray, text);
        const ReadingError error = errorOfReading(text.toStdString());
        QVERIFY(!error.sentence.isEmpty());
        QTEST(error.position.line, "line");
    }

    void hasNoPlaceForASize_data()
    {
        QTest::addColumn<int>("phase");
        QTest::newRow("train") << static_cast<int>(model::Phase::Train);
        QTest::newRow("eval") << static_cast<int>(model::Phase::Eval);
    }
    void hasNoPlaceForASize()
    {
        QFETCH(int, phase);
        try {
            recognise(gpt2Json)->withMicroBatchSize(
                {.phase = static_cast<model::Phase>(phase), .microBatchSize = 4});
            QFAIL("A size was written.");
        } catch (const ConfigError& error) {
            QVERIFY(
                QString::fromUtf8(error.what()).contains(QLatin1String("no place for a micro-batch size")));
            QVERIFY(QString::fromUtf8(error.what()).contains(QLatin1String("--model FILE")));
        }
    }
};

BATCHPEAK_TEST(HuggingFaceConfigFormatTest)
#include "tst_hugging_face_config_format.moc"
