// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/approximations.h"
#include "options/option_table.h"
#include "plan/plan_preview.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "workers/run_devices.h"

#include <QTemporaryFile>
#include <QTest>

#include <algorithm>
#include <memory>

using namespace batchpeak;
using namespace batchpeak::engine;
using namespace batchpeak::test;

namespace {

constexpr std::int64_t gibibyte = std::int64_t{1} << 30;

const QByteArray config = "batchpeak: 1\n"
                          "model:\n"
                          "  family: gpt2\n"
                          "  layers: 2\n"
                          "  hidden_size: 64\n"
                          "  heads: 2\n"
                          "  key_value_heads: 2\n"
                          "  feed_forward_size: 256\n"
                          "  vocabulary_size: 512\n"
                          "  max_positions: 64\n"
                          "batch_size: 48\n"
                          "precision: bf16\n";

ConfigFile openText(const QByteArray& text)
{
    QTemporaryFile file;
    if (file.open())
        file.write(text);
    file.close();
    return ConfigFile::open(file.fileName());
}

const QByteArray adapters = config + "tuning:\n"
                                     "  adapter: lora\n"
                                     "  rank: 4\n"
                                     "  targets:\n"
                                     "    - projection: query\n"
                                     "  frozen_weights: nf4\n";

const QByteArray longSamples =
    QByteArray(config).replace("max_positions: 64", "max_positions: 512") + "sequence_length: 256\n";

const QByteArray largeVocabulary =
    QByteArray(config).replace("vocabulary_size: 512", "vocabulary_size: 20000");

ConfigFile openPlain()
{
    return openText(config);
}

device::LocalDevices devices()
{
    return {.devices = {{.kind = "cuda",
                         .index = 0,
                         .name = "A",
                         .uuid = "GPU-a",
                         .totalBytes = 80 * gibibyte,
                         .freeBytes = 60 * gibibyte},
                        {.kind = "cpu", .name = "B", .totalBytes = 4 * gibibyte, .freeBytes = 3 * gibibyte}}};
}

/// \param words  words of the command line, separated by commas
PlanPreview preview(const Text& words = {})
{
    return previewOn(openText(config), optionsFrom(words.split(QLatin1Char(','))), devices());
}

} // namespace

/// Tests the preview of a plan before anything runs.
class PlanPreviewTest : public QObject
{
    Q_OBJECT

private slots:
    void reportsTheOriginOfAnOption_data()
    {
        rows<Text, Text, Text, Origin>(
            {{"a default", {"", "--tolerance", "2", Origin::Default}},
             {"yours", {"--tolerance,3", "--tolerance", "3", Origin::Yours}},
             {"the config's", {"", "--precision", "bf16", Origin::Config}},
             {"yours over the config's", {"--precision,fp32", "--precision", "fp32", Origin::Yours}},
             {"a value of the plan", {"", "--max", "48", Origin::Default}},
             {"no value at all", {"", "--time-budget", "", Origin::Default}},
             {"an unused switch", {"", "--channels-last", "off", Origin::Default}},
             {"what contradicts itself", {"--min,9,--max,8", "--max", "8", Origin::Yours}},
             {"beside a contradiction", {"--min,9,--max,8", "--setting", "auto", Origin::Default}}});
    }
    void reportsTheOriginOfAnOption()
    {
        const auto& [words, name, text, origin] = row<Text, Text, Text, Origin>();
        const PlanPreview known = preview(words);
        const OptionPreview& option = known.option(name.toStdString());
        QCOMPARE(option.text, text);
        QCOMPARE(option.origin, origin);
    }

    void reportsTheOriginOfAdapterOptions_data()
    {
        rows<Text, Text, Text, Origin>(
            {{"its kind", {"", "--adapter", "lora", Origin::Config}},
             {"its rank", {"", "--adapter-rank", "4", Origin::Config}},
             {"its frozen weights", {"", "--frozen-weights", "nf4", Origin::Config}},
             {"another kind", {"--adapter,dora", "--adapter", "dora", Origin::Yours}},
             {"the rank of another kind", {"--adapter,dora", "--adapter-rank", "4", Origin::Config}},
             {"no adapter", {"--adapter,none", "--adapter-rank", "", Origin::Default}},
             {"nothing frozen", {"--adapter,none", "--frozen-weights", "", Origin::Default}}});
    }
    void reportsTheOriginOfAdapterOptions()
    {
        const auto& [words, name, text, origin] = row<Text, Text, Text, Origin>();
        const OptionPreview option =
            previewOn(openText(adapters), optionsFrom(words.split(QLatin1Char(','))), devices())
                .option(name.toStdString());
        QCOMPARE(option.text, text);
        QCOMPARE(option.origin, origin);
    }

    void omitsThePlaceOfAReducedLength()
    {
        const ConfigFile file = openText(longSamples);
        const auto lengthWith = [&file](const ExplorationOptions& options) {
            return previewOn(file, options, devices()).option("--sequence-length");
        };
        QCOMPARE(lengthWith({}).text, QStringLiteral("256"));
        QCOMPARE(lengthWith({}).origin, Origin::Config);
        QCOMPARE(lengthWith({.shrinks = true}).text, QStringLiteral("64"));
        QCOMPARE(lengthWith({.shrinks = true}).origin, Origin::Default);
        QVERIFY(lengthWith({.shrinks = true}).place.isEmpty());
    }

    void hasAllOptions() { QCOMPARE(preview().options.size(), explorationOptions().size()); }

    void showsReadValuesAndTheirPlaces()
    {
        QStringList lines;
        for (const ReadValue& value : preview().values)
            lines << QStringLiteral("%1: %2 (%3)").arg(value.name, value.value, value.place);
        QCOMPARE(lines.join(QLatin1Char('\n')),
                 QStringLiteral("Format: Batchpeak ()\n"
                                "Network: gpt2 with 136,960 parameters (model, line 2)\n"
                                "Samples: 64 tokens ()\n"
                                "Batch: batch_size 48 on 1 device (batch_size, line 11)\n"
                                "Now: micro_batch_size: auto ()\n"
                                "Measured: as configured ()"));
    }

    void showsTrainedParameters()
    {
        const PlanPreview known = previewOn(openText(adapters), {.adapterRank = 8}, devices());
        const auto value = [&known](const char* name) {
            const auto place = std::ranges::find(known.values, QString::fromUtf8(name), &ReadValue::name);
            return place == known.values.end() ? QString() : place->value;
        };
        // The values are those of the config, and the label is that of the requested run.
        QCOMPARE(value("Network"), QStringLiteral("gpt2, trainable 1,024 of 137,984 parameters, 0.74 %"));
        QCOMPARE(value("Adapter"), QStringLiteral("LoRA of rank 4, alpha 8, on query"));
        QCOMPARE(value("Frozen"), QStringLiteral("nf4 with double quantization"));
        QCOMPARE(value("Measured"), QStringLiteral("another run, with another adapter rank"));
        QCOMPARE(known.option("--adapter").text, QStringLiteral("lora"));
        QCOMPARE(known.option("--adapter-rank").text, QStringLiteral("8"));
        QCOMPARE(known.option("--frozen-weights").text, QStringLiteral("nf4"));
    }

    // The launcher decides on the number of devices, so all explored devices share the state.
    void dividesStateAmongTheDevices()
    {
        config::ConfigContents contents = openPlain().contents();
        contents.step.sharding = model::Sharding::Parameters;
        contents.train->knowsDevices = false;
        ExplorationOptions options;
        options.workerCommand = QStringLiteral("trainer");
        const auto planned = [&](const QStringList& ids) {
            options.devices = ids;
            auto plan = planExploration({}, contents, options);
            fitToDevices(plan, options, devices());
            return plan;
        };
        using Kind = config::Fidelity::Kind;
        const auto alone = planned({QStringLiteral("cpu")});
        QCOMPARE(alone.load.step.shards, 1);
        QVERIFY(alone.run.fidelity.kind != Kind::Approximate);
        const auto shared = planned({QStringLiteral("cuda"), QStringLiteral("cpu")});
        QCOMPARE(shared.load.step.shards, 2);
        QVERIFY(!shared.run.fidelity.reasons.empty());
        // Whether the worker can run this is known only when the number of devices is known.
        contents.step.updatesInBackward = true;
        QVERIFY(planned({QStringLiteral("cpu")}).run.fidelity.kind != Kind::Approximate);
        QCOMPARE(planned({QStringLiteral("cuda"), QStringLiteral("cpu")}).run.fidelity.reasons.back(),
                 std::string(config::approximation::updatesInBackward));
        // A missing device is reported when it is opened. With a launcher, the number of devices is unknown.
        QCOMPARE(planned({QStringLiteral("cuda:7")}).load.step.shards, 1);
        options.places = {QStringLiteral("ssh host")};
        QVERIFY(!planned({QStringLiteral("cpu")}).run.fidelity.reasons.empty());
    }

    void reportsAPrecisionWithoutEffect_data()
    {
        rows<Text, bool>({{"on a CPU", {"cpu", true}}, {"on a GPU", {"cuda", false}}});
    }
    void reportsAPrecisionWithoutEffect()
    {
        const auto& [device, isReported] = row<Text, bool>();
        ExplorationOptions options;
        options.precision = model::Precision::Tf32;
        options.devices = {device};
        const PlanPreview preview = previewOn(openPlain(), options, devices());
        const std::vector<std::string>& reasons = preview.plan->run.fidelity.reasons;
        QCOMPARE(std::ranges::find(reasons, config::approximation::tf32OnCpu) != reasons.end(), isReported);
        QCOMPARE(preview.plan->notes.filter(QStringLiteral("tf32")).size(), isReported ? 1 : 0);
    }

    // On one device, some trainers omit FSDP together with its effects other than sharding.
    void appliesSettingsOfASingleDevice()
    {
        config::ConfigContents contents = openPlain().contents();
        contents.step.sharding = model::Sharding::Parameters;
        contents.step.activationCheckpointing = true;
        contents.train->knowsDevices = false;
        contents.warnings = {{.sentence = {},
                              .position = {},
                              .approximation = std::string(config::approximation::hostActivations)}};
        contents.alone = {.activationCheckpointing = false,
                          .approximation = std::string(config::approximation::narrowedLayers),
                          .droppedApproximation = std::string(config::approximation::hostActivations)};
        ExplorationOptions options;
        const auto planned = [&](const QStringList& ids) {
            options.devices = ids;
            auto plan = planExploration({}, contents, options);
            fitToDevices(plan, options, devices());
            return plan;
        };
        const auto alone = planned({QStringLiteral("cpu")});
        QVERIFY(!alone.load.step.activationCheckpointing);
        QCOMPARE(alone.run.fidelity.reasons,
                 std::vector<std::string>{std::string(config::approximation::narrowedLayers)});
        const auto shared = planned({QStringLiteral("cuda"), QStringLiteral("cpu")});
        QVERIFY(shared.load.step.activationCheckpointing);
        QCOMPARE(shared.run.fidelity.reasons,
                 (std::vector<std::string>{std::string(config::approximation::hostActivations),
                                           std::string(config::approximation::sharding)}));
        // An option of the user applies to any number of devices.
        options.activationCheckpointing = true;
        QVERIFY(planned({QStringLiteral("cpu")}).load.step.activationCheckpointing);
    }

    void choosesDefaultOrRequestedDevices_data()
    {
        rows<Text, Text>({{"usual", {"", "cuda:0"}},
                          {"asked for", {"--device,cpu", "cpu"}},
                          {"both", {"--device,cuda,--device,cpu", "cuda:0 cpu"}},
                          {"none that is here", {"--device,cuda:3", ""}},
                          {"elsewhere", {"--device,cuda:3,--launcher,ssh host", "cuda:3"}}});
    }
    void choosesDefaultOrRequestedDevices()
    {
        const auto& [words, ids] = row<Text, Text>();
        const auto known = preview(words);
        QStringList chosen;
        for (const DevicePreview& device : known.devices) {
            if (device.isChosen)
                chosen << QString::fromStdString(device.device.id());
        }
        QCOMPARE(chosen.join(QLatin1Char(' ')), ids);
        QCOMPARE(known.problem.isEmpty(), known.hasChosenDevice());
    }

    // If the optimizer step needs more memory than the passes, a size fits only if there is room for that
    // step.
    void leavesRoomForTheOptimizerStep()
    {
        const auto known = [](std::int64_t limit) {
            const QString words = QStringLiteral("--optimizer,adafactor,--precision,plain-bf16,--device,cpu,"
                                                 "--sequence-length,4,--headroom,0,--memory-limit,%1B");
            return previewOn(openText(largeVocabulary), optionsFrom(words.arg(limit).split(QLatin1Char(','))),
                             devices());
        };
        const auto memory = known(gibibyte).memory;
        QVERIFY(memory && memory->optimizerStepBytes > memory->constantBytes + 2 * memory->bytesPerSample);
        const auto step = static_cast<std::int64_t>(memory->optimizerStepBytes);
        QCOMPARE(known(step - 1).devices.back().largestFit->high, 0);
        QVERIFY(known(step + 1).devices.back().largestFit->likely > 1);
    }

    void computesTheRoomOfADevice()
    {
        const auto known = preview("--headroom,10,--memory-limit,2GiB,--device,cpu");
        const DevicePreview& cpu = known.devices.back();
        QCOMPARE(cpu.limitBytes, 2 * gibibyte);
        QCOMPARE(cpu.usableBytes, static_cast<std::int64_t>(1.8 * static_cast<double>(gibibyte)));
        QVERIFY(cpu.largestFit);
        const auto bytes = known.memory->constantBytes +
                           known.memory->bytesPerSample * static_cast<double>(cpu.largestFit->likely);
        QVERIFY(bytes <= static_cast<double>(cpu.usableBytes));
        QVERIFY(bytes + known.memory->bytesPerSample > static_cast<double>(cpu.usableBytes));
        QVERIFY(cpu.largestFit->low < cpu.largestFit->likely);
        QVERIFY(cpu.largestFit->likely < cpu.largestFit->high);
    }

    // The lower bound leaves room for matrices that libraries pack for a matrix unit.
    void leavesRoomForMatrixUnits()
    {
        const auto fitWith = [](int units) {
            device::LocalDevices local = devices();
            local.devices.back().matrixUnits = units;
            const QStringList words{QStringLiteral("--precision"), QStringLiteral("plain-bf16"),
                                    QStringLiteral("--device"), QStringLiteral("cpu")};
            return *previewOn(openText(largeVocabulary), optionsFrom(words), local).devices.back().largestFit;
        };
        QVERIFY(fitWith(2).low < fitWith(0).low);
        QCOMPARE(fitWith(2).likely, fitWith(0).likely);
    }

    void reportsThatNoSampleFits()
    {
        const auto known = preview("--memory-limit,1MiB,--device,cpu");
        QCOMPARE(roomTexts(known.devices),
                 QStringList{QStringLiteral("cpu is likely too small for 1 sample.")});
    }

    void warnsIfNothingFits()
    {
        QVERIFY(preview("--device,cpu").warning.isEmpty());
        const auto small = preview("--memory-limit,1MiB,--device,cpu");
        QVERIFY2(small.plan && small.warning.contains(QStringLiteral("cpu")), qPrintable(small.warning));
        // The network fits, but no sample does.
        const auto constant = static_cast<qint64>(small.memory->constantBytes);
        const auto tight =
            preview(QStringLiteral("--headroom,0,--memory-limit,%1B,--device,cpu").arg(constant + 1));
        QVERIFY2(tight.warning.contains(QStringLiteral("a sample takes")), qPrintable(tight.warning));
        // Some samples fit, but fewer than requested.
        const auto some =
            static_cast<qint64>(small.memory->constantBytes + 4.0 * small.memory->bytesPerSample);
        const auto many =
            preview(QStringLiteral("--headroom,0,--min,32,--memory-limit,%1B,--device,cpu").arg(some));
        QVERIFY2(many.warning.contains(QStringLiteral("48 samples take")),
                 qPrintable(many.warning + many.problem));
        // One device with enough room suffices.
        QVERIFY(preview("--device,cpu,--device,cuda").warning.isEmpty());
        QVERIFY(preview("--memory-limit,1MiB,--worker,python3 step.py").warning.isEmpty());
    }

    void groupsDevicesWithEqualRoom()
    {
        const auto device = [](int index, std::int64_t likely, bool isChosen = true) {
            return DevicePreview{.device = {.kind = "cuda", .index = index},
                                 .isChosen = isChosen,
                                 .largestFit =
                                     SizeBand{.low = likely - 1, .likely = likely, .high = likely + 1}};
        };
        QCOMPARE(
            roomTexts({device(0, 8),
                       device(1, 4),
                       device(2, 8),
                       device(3, 8),
                       device(4, 4),
                       device(5, 2, false),
                       {}}),
            (QStringList{QStringLiteral("cuda:0 and 2 others have room for about 8 samples each (7 to 9)."),
                         QStringLiteral("cuda:1 and cuda:4 have room for about 4 samples each (3 to 5).")}));
    }

    void predictsNoMemoryOfAnotherProgram()
    {
        const auto known = preview("--worker,python3 step.py");
        QVERIFY(!known.memory);
        QVERIFY(!known.devices.front().largestFit);
        QVERIFY(roomTexts(known.devices).isEmpty());
    }

    void reportsContradictions()
    {
        const auto known = preview("--min,9,--max,8");
        QVERIFY(!known.plan);
        QVERIFY2(known.problem.contains(QStringLiteral("above the largest")), qPrintable(known.problem));
        QVERIFY(known.hasChosenDevice());
    }

    void namesTheSizes_data()
    {
        rows<Text, Text>(
            {{"a range", {"--setting,explore,--max,300", "Sizes 1 to 300 are considered."}},
             {"divisors", {"--max,6", "Divisors of 48 are considered: 1, 2, 3, 4, 6."}},
             {"many divisors", {"", "Divisors of 48 are considered: 1, 2, 3, 4, 6, 8, 12, …, 48."}},
             {"one size", {"--setting,20", "Only size 20 is measured."}}});
    }
    void namesTheSizes()
    {
        const auto& [words, sentence] = row<Text, Text>();
        const auto known = preview(words);
        QVERIFY2(known.plan, qPrintable(known.problem));
        QCOMPARE(sizesText(*known.plan), sentence);
    }
};

BATCHPEAK_TEST(PlanPreviewTest)
#include "tst_plan_preview.moc"
