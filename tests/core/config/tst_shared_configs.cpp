// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "another_size.h"
#include "config/config_document.h"
#include "config_test_data.h"
#include "line_difference.h"
#include "model/parameter_table.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "yaml_difference.h"

#include <QDirIterator>
#include <QTest>

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

const QString everything = QStringLiteral(BATCHPEAK_SHARED_CONFIGS);
const QString folder = everything + QStringLiteral("/cerebras-modelzoo/");

bool isAboutTheFolder(const QString& file)
{
    return file.endsWith(QLatin1String("INDEX.tsv")) || file.endsWith(QLatin1String("LICENSE"));
}

bool hasComment(const NumberedLine& line)
{
    return line.text.find('#') != std::string::npos;
}

/// Whether a size may change the value at \p path: sizes, batches, accumulation steps, the switch that would
/// change them silently, and callbacks that contain a size.
bool isBatchPath(const std::string& path)
{
    return path.find("batch") != std::string::npos || path.ends_with("gradient_accumulation_steps") ||
           path.find("callbacks") != std::string::npos;
}

} // namespace

/// Tests real configs that trainers ship, if they are available. Other tests do the same with the project's
/// own small configs.
class SharedConfigsTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (!QFileInfo::exists(folder))
            QSKIP("The shared configs are not on this computer.");
    }

    void countsParameters_data()
    {
        rows<std::string, std::int64_t>({
            {"R_1.7.1/params_gpt2_small.yaml", {"gpt2", 124439808}},
            // It has 2048 positions instead of 1024.
            {"Release_2.3.1/params_gpt2_small.yaml", {"gpt2", 125226240}},
            {"Release_2.3.1/params_gpt3_125m_rigl75.yaml", {"gpt2", 125226240}},
            {"Release_2.1.1/params_gpt3_xl.yaml", {"gpt2", 1315723264}},
            {"Release_2.3.1/params_gpt3_xl.yaml", {"gpt2", 1315723264}},
            {"Release_2.3.1/params_gpt3_13b.yaml", {"gpt2", 12853386240}},
            {"Release_2.3.1/params_llama3_8b.yaml", {"llama", 8030261248}},
            {"Release_2.3.1/params_llama3p1_8b_msl_8k.yaml", {"llama", 8030261248}},
            {"Release_2.10.0/params_gpt3_xl.yaml", {"gpt3", 1315723264}},
            {"Release_2.10.0/params_llama3p1_8b_msl_8k.yaml", {"llama", 8030261248}},
            {"Release_2.10.0/model_config.yaml", {"llama", 8030261248}},
            {"Release_2.3.1/params_mixtral_8x7b.yaml", {"mixtral", 46702792704}},
            {"Release_2.3.1/params_bloom_7b.yaml", {"bloom", 7069016064}},
            {"Release_2.10.0/params_bloom_7b.yaml", {"bloom", 7069016064}},
            // V D + L (4 (D^2 + D) + 2 (D F + F) + D F + D + 4 D) + 2 D
            {"Release_2.3.1/params_jais_13b.yaml", {"jais", 13020811920}},
            {"Release_2.10.0/params_jais_13b.yaml", {"jais", 13020811920}},
            {"Release_2.3.1/params_vit_base_patch_16_imagenet_1k.yaml", {"vit", 86567656}},
            {"Release_2.10.0/params_vit_base_patch_16_imagenet_1k.yaml", {"vit", 86567656}},
            // It has a pooler, a next-sentence head and a masked-language head.
            {"Release_2.3.1/bert_base_MSL128.yaml", {"bert", 110106428}},
            {"Release_2.10.0/bert_base_MSL128.yaml", {"bert", 110106428}},
            // Hugging Face counts 651043254, which include 661 of a contact head.
            {"Release_2.3.1/params_esm2_t33_650M_UR50D.yaml", {"esm2", 651042593}},
            // T5 with 32101 tokens instead of 32128, and with biases in its normalizations.
            {"Release_2.3.1/t5_base.yaml", {"t5", 222903552 - 27 * 768 + (12 * 2 + 12 * 3 + 2) * 768}},
            {"Release_2.4.3/t5_base.yaml", {"t5", 222903552 - 27 * 768 + (12 * 2 + 12 * 3 + 2) * 768}},
            {"Release_2.10.0/t5_3B.yaml", {"t5", 2851598336 - 27 * 1024 + (24 * 2 + 24 * 3 + 2) * 1024}},
            // It differs from the published T5: 8 layers, and half the feed-forward size.
            {"Release_2.4.3/t5_small.yaml", {"t5", 58422272}},
        });
    }
    void countsParameters()
    {
        const auto& [family, parameters] = row<std::string, std::int64_t>();
        const std::string file = QTest::currentDataTag();
        const ConfigContents contents = recognize(textOf(folder + QString::fromStdString(file)))->read();
        const auto* spec = std::get_if<model::ModelSpec>(&contents.model);
        QVERIFY2(spec, spec ? "" : std::get<UnsupportedModel>(contents.model).sentence.c_str());
        QCOMPARE(spec->family, family);
        QCOMPARE(model::parameterCount(*spec), parameters);
        QCOMPARE(contents.sequenceLength,
                 file.find("MSL128") != std::string::npos ? 128 : model::defaultSequenceLength(*spec));
        QCOMPARE(contents.precision, model::Precision::Bf16);
    }

    void namesUnsupportedNetworks_data()
    {
        rows<std::string>({
            {"Release_2.10.0/params_dinov2_large_patch14_img224.yaml", "\"dino\""},
            {"Release_2.10.0/params_dit_2B_patchsize_2x2.yaml", "\"dit\""},
        });
    }
    void namesUnsupportedNetworks()
    {
        const auto& named = row<std::string>();
        const ConfigContents contents =
            recognize(textOf(folder + QString::fromUtf8(QTest::currentDataTag())))->read();
        const auto* unsupported = std::get_if<UnsupportedModel>(&contents.model);
        QVERIFY(unsupported);
        QVERIFY2(unsupported->sentence.find(named) != std::string::npos, unsupported->sentence.c_str());
        QVERIFY(unsupported->position.line > 0);
        QVERIFY(contents.train);
    }

    void writesFewValues_data()
    {
        const auto add = rows<QString>();
        QDirIterator files(everything, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString file = files.next();
            if (!isAboutTheFolder(file))
                add(file.mid(everything.size() + 1).toStdString(), file);
        }
    }
    // Covers every file of every trainer, and every phase in it.
    void writesFewValues()
    {
        const auto& file = row<QString>();
        const std::string before = textOf(file);
        const auto format = recognize(before);
        const ConfigContents contents = format->read();
        for (model::Phase phase : phasesOf(contents)) {
            const ChosenSize chosen = anotherSize(*format, phase, *contents.plan(phase));
            const std::string after = format->withMicroBatchSize(chosen).text;

            const auto read = recognize(after)->read();
            QCOMPARE(read.formatName, contents.formatName);
            QCOMPARE(*read.plan(phase)->writtenSize(), chosen.microBatchSize);
            const auto [removed, added] = lineDifference(before, after);
            // The lines contain the size, the batch or the accumulation steps, and a switch.
            QVERIFY2(!added.empty() && added.size() <= 3, after.c_str());
            QVERIFY2(removed.size() <= added.size(), after.c_str());
            for (const NumberedLine& line : removed)
                QVERIFY2(hasComment(line) == std::ranges::any_of(added, hasComment), line.text.c_str());
            if (!file.endsWith(QLatin1String(".sh")))
                checkYamlCppReading(before, after);
        }
    }

private:
    // Compares the readings of yaml-cpp, which shares no code with our reader.
    static void checkYamlCppReading(const std::string& before, const std::string& after)
    {
        const auto changed = changedPaths(before, after);
        QVERIFY2(changed && !changed->empty(), before.c_str());
        for (const std::string& path : *changed)
            QVERIFY2(isBatchPath(path), path.c_str());
    }
};

BATCHPEAK_TEST(SharedConfigsTest)
#include "tst_shared_configs.moc"
