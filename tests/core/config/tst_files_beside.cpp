// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/config_document.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QTest>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

using Files = std::map<std::string, std::string>;

NetworkSource sourceOf(const Files& files)
{
    const auto find = [](const NetworkName& name) { return NetworkLookup{.name = name.name}; };
    const auto read = [files](const std::string& path) -> std::optional<NetworkFile> {
        const auto file = files.find(path);
        if (file == files.end())
            return std::nullopt;
        return NetworkFile{.path = file->first, .text = file->second};
    };
    return {find, read};
}

bool warnsOf(const ConfigContents& contents, std::string_view words)
{
    return std::ranges::any_of(contents.warnings, [words](const Warning& warning) {
        return warning.sentence.find(words) != std::string::npos;
    });
}

struct Beside
{
    std::string script;
    Files files;
    std::int64_t size = 2;
    std::int64_t batch = 8;
    std::int64_t devices = 1;
    /// Part of a warning; empty for none that is looked for.
    std::string warning = {};
};

const std::string options = " --per_device_train_batch_size 2\n";
const std::string yaml = "per_device_train_batch_size: 16\ngradient_accumulation_steps: 4\nmax_length: 64\n";

} // namespace

/// Tests files that a script or a config names and that are read with it.
class FilesBesideTest : public QObject
{
    Q_OBJECT

private slots:
    void areReadWithTheScript_data()
    {
        rows<Beside>({
            {"behind the program", {.script = "python sft.py a.yaml" + options, .files = {{"a.yaml", yaml}}}},
            {"--config", {.script = "trl sft --config a.yaml" + options, .files = {{"a.yaml", yaml}}}},
            {"--config=", {.script = "trl sft --config=a.yaml" + options, .files = {{"a.yaml", yaml}}}},
            {"by a variable",
             {.script = "C=a.yaml\ntrl sft --config $C" + options, .files = {{"a.yaml", yaml}}}},
            {"with a document mark",
             {.script = "trl sft --config a.yaml" + options, .files = {{"a.yaml", "---\n" + yaml}}}},
            {"JSON",
             {.script = "python sft.py a.json" + options,
              .files = {{"a.json", "{\n  \"gradient_accumulation_steps\": 4\n}\n"}}}},
            {"only the rest of the options",
             {.script = "trl sft --config a.yaml --per_device_train_batch_size 2 "
                        "--gradient_accumulation_steps 8\n",
              .files = {{"a.yaml", yaml}},
              .batch = 16}},
            {"absent", {.script = "trl sft --config a.yaml" + options, .batch = 2, .warning = "a.yaml"}},
            {"no mapping",
             {.script = "trl sft --config a.yaml" + options,
              .files = {{"a.yaml", "- 1\n"}},
              .batch = 2,
              .warning = "a.yaml"}},
            {"invalid",
             {.script = "trl sft --config a.yaml" + options,
              .files = {{"a.yaml", "a: [\n"}},
              .batch = 2,
              .warning = "a.yaml"}},
            {"of another option",
             {.script = "python sft.py --data a.yaml" + options, .files = {{"a.yaml", yaml}}, .batch = 2}},
            {"of accelerate",
             {.script = "accelerate launch --config_file acc.yaml sft.py" + options,
              .files = {{"acc.yaml", "num_processes: 4\n"}},
              .batch = 8,
              .devices = 4}},
            {"of accelerate, which the script overrides",
             {.script = "accelerate launch --num_processes 2 --config_file acc.yaml sft.py" + options,
              .files = {{"acc.yaml", "num_processes: 4\n"}},
              .batch = 4,
              .devices = 2}},
            {"of DeepSpeed, without steps",
             {.script = "deepspeed sft.py --deepspeed ds.json --gradient_accumulation_steps 4" + options,
              .files = {{"ds.json", R"({"train_micro_batch_size_per_gpu": "auto"})"}},
              .warning = "gradient_accumulation_steps"}},
        });
    }
    void areReadWithTheScript()
    {
        const auto& [script, files, size, batch, devices, warning] = row<Beside>();
        const ConfigContents contents = recognize(script, sourceOf(files))->readForPython();
        QVERIFY(contents.train.has_value());
        QCOMPARE(contents.train->presentSize, std::optional(size));
        QCOMPARE(contents.train->globalBatchSize, batch);
        QCOMPARE(contents.train->devices, devices);
        if (!warning.empty())
            QVERIFY(warnsOf(contents, warning));
        else
            QVERIFY(!warnsOf(contents, "not found"));
    }

    /// What the file sets is replaced by an option, since the file may be that of other runs too.
    void areReplacedByOptions()
    {
        const auto document = recognize("trl sft --config a.yaml" + options, sourceOf({{"a.yaml", yaml}}));
        const SplicedText written =
            document->withMicroBatchSize({.phase = model::Phase::Train, .microBatchSize = 4});
        QCOMPARE(written.text, std::string("trl sft --config a.yaml --gradient_accumulation_steps 2 "
                                           "--per_device_train_batch_size 4\n"));
    }

    void giveTheSizeItself()
    {
        const auto document =
            recognize("trl sft --config a.yaml --bf16\necho batch\n", sourceOf({{"a.yaml", yaml}}));
        QCOMPARE(document->readForPython().train->presentSize, std::optional<std::int64_t>(16));
        const SplicedText written =
            document->withMicroBatchSize({.phase = model::Phase::Train, .microBatchSize = 32});
        VERIFY_CONTAINS(QString::fromStdString(written.text),
                        QStringLiteral("--per_device_train_batch_size 32"));
        VERIFY_CONTAINS(QString::fromStdString(written.text),
                        QStringLiteral("--gradient_accumulation_steps 2"));
    }
};

BATCHPEAK_TEST(FilesBesideTest)
#include "tst_files_beside.moc"
