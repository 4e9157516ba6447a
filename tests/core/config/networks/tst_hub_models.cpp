// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/networks/hub_models.h"
#include "config_test_data.h"
#include "model/parameter_table.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <set>

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

constexpr TextPosition place{.line = 7, .column = 9};

struct Published
{
    const char* id;
    const char* family;
    std::int64_t parameters;
    std::int64_t sequenceLength;
};

// As transformers 5.23.0 counts them (make test-hub-models) and, but for those without a head, as the hub
// publishes them.
const std::vector<Published> published{
    {"gpt2", "gpt2", 124439808, 1024},
    {"gpt2-medium", "gpt2", 354823168, 1024},
    {"gpt2-large", "gpt2", 774030080, 1024},
    {"gpt2-xl", "gpt2", 1557611200, 1024},
    {"distilgpt2", "gpt2", 81912576, 1024},
    {"bigscience/bloom-560m", "bloom", 559214592, 2048},
    {"bigscience/bloom-1b1", "bloom", 1065314304, 2048},
    {"bigscience/bloom-1b7", "bloom", 1722408960, 2048},
    {"bigscience/bloom-3b", "bloom", 3002557440, 2048},
    {"bigscience/bloom-7b1", "bloom", 7069016064, 2048},
    {"meta-llama/Llama-2-7b-hf", "llama", 6738415616, 4096},
    {"meta-llama/Llama-2-13b-hf", "llama", 13015864320, 4096},
    {"meta-llama/Llama-2-70b-hf", "llama", 68976648192, 4096},
    {"meta-llama/Meta-Llama-3-8B", "llama", 8030261248, 8192},
    {"meta-llama/Meta-Llama-3-70B", "llama", 70553706496, 8192},
    {"meta-llama/Llama-3.1-8B", "llama", 8030261248, 131072},
    {"meta-llama/Llama-3.1-70B", "llama", 70553706496, 131072},
    {"meta-llama/Llama-3.1-405B", "llama", 405853388800, 131072},
    {"meta-llama/Llama-3.2-1B", "llama", 1235814400, 131072},
    {"meta-llama/Llama-3.2-3B", "llama", 3212749824, 131072},
    {"TinyLlama/TinyLlama-1.1B-intermediate-step-1431k-3T", "llama", 1100048384, 2048},
    {"HuggingFaceTB/SmolLM2-135M", "llama", 134515008, 8192},
    {"HuggingFaceTB/SmolLM2-360M", "llama", 361821120, 8192},
    {"HuggingFaceTB/SmolLM2-1.7B", "llama", 1711376384, 8192},
    {"mistralai/Mistral-7B-v0.1", "mistral", 7241732096, 4096},
    {"mistralai/Mistral-7B-Instruct-v0.2", "mistral", 7241732096, 32768},
    {"mistralai/Mistral-7B-v0.3", "mistral", 7248023552, 32768},
    {"mistralai/Mistral-Nemo-Base-2407", "mistral", 12247782400, 131072},
    {"mistralai/Mixtral-8x7B-v0.1", "mixtral", 46702792704, 32768},
    {"Qwen/Qwen2.5-0.5B", "qwen2", 494032768, 32768},
    {"Qwen/Qwen2-0.5B", "qwen2", 494032768, 131072},
    {"Qwen/Qwen2.5-1.5B", "qwen2", 1543714304, 131072},
    {"Qwen/Qwen2.5-1.5B-Instruct", "qwen2", 1543714304, 32768},
    {"Qwen/Qwen2.5-3B", "qwen2", 3085938688, 32768},
    {"Qwen/Qwen2.5-7B", "qwen2", 7615616512, 131072},
    {"Qwen/Qwen2.5-7B-Instruct", "qwen2", 7615616512, 32768},
    {"Qwen/Qwen2.5-14B", "qwen2", 14770033664, 131072},
    {"Qwen/Qwen2.5-14B-Instruct", "qwen2", 14770033664, 32768},
    {"Qwen/Qwen2.5-32B", "qwen2", 32763876352, 131072},
    {"Qwen/Qwen2.5-32B-Instruct", "qwen2", 32763876352, 32768},
    {"Qwen/Qwen2.5-72B", "qwen2", 72706203648, 131072},
    {"Qwen/Qwen2.5-72B-Instruct", "qwen2", 72706203648, 32768},
    {"Qwen/Qwen3-0.6B", "qwen3", 596049920, 40960},
    {"Qwen/Qwen3-0.6B-Base", "qwen3", 596049920, 32768},
    {"Qwen/Qwen3-1.7B", "qwen3", 1720574976, 40960},
    {"Qwen/Qwen3-1.7B-Base", "qwen3", 1720574976, 32768},
    {"Qwen/Qwen3-4B", "qwen3", 4022468096, 40960},
    {"Qwen/Qwen3-4B-Base", "qwen3", 4022468096, 32768},
    {"Qwen/Qwen3-8B", "qwen3", 8190735360, 40960},
    {"Qwen/Qwen3-8B-Base", "qwen3", 8190735360, 32768},
    {"Qwen/Qwen3-14B", "qwen3", 14768307200, 40960},
    {"Qwen/Qwen3-14B-Base", "qwen3", 14768307200, 32768},
    {"Qwen/Qwen3-32B", "qwen3", 32762123264, 40960},
    {"bert-base-uncased", "bert", 109514298, 512},
    {"bert-base-cased", "bert", 108340804, 512},
    {"bert-large-uncased", "bert", 335174458, 512},
    {"bert-large-cased", "bert", 333610308, 512},
    {"t5-small", "t5", 60506624, 512},
    {"t5-base", "t5", 222903552, 512},
    {"t5-large", "t5", 737668096, 512},
    {"t5-3b", "t5", 2851598336, 512},
    {"t5-11b", "t5", 11307321344, 512},
    {"google/flan-t5-small", "t5", 76961152, 512},
    {"google/flan-t5-base", "t5", 247577856, 512},
    {"google/flan-t5-large", "t5", 783150080, 512},
    {"google/flan-t5-xl", "t5", 2849757184, 512},
    {"google/flan-t5-xxl", "t5", 11135332352, 512},
    {"google/vit-base-patch16-224", "vit", 86567656, 1},
    {"google/vit-base-patch16-224-in21k", "vit", 85800194, 1},
    {"google/vit-large-patch16-224", "vit", 304326632, 1},
    {"google/vit-large-patch16-224-in21k", "vit", 303303682, 1},
    {"google/vit-huge-patch14-224-in21k", "vit", 630767362, 1}};

struct Named
{
    std::variant<model::ModelSpec, UnsupportedModel> model;
    std::vector<Warning> warnings;
};

Named named(const std::string& id)
{
    Named result;
    result.model = namedModel(id, place, result.warnings);
    return result;
}

} // namespace

class HubModelsTest : public QObject
{
    Q_OBJECT

private slots:
    void countsParameters_data()
    {
        const auto add = rows<Published>();
        for (const Published& model : published)
            add(model.id, model);
    }
    void countsParameters()
    {
        const auto& [id, family, parameters, sequenceLength] = row<Published>();
        const Named found = named(id);
        const auto* spec = std::get_if<model::ModelSpec>(&found.model);
        QVERIFY2(spec, spec ? "" : std::get<UnsupportedModel>(found.model).sentence.c_str());
        QCOMPARE(spec->family, std::string(family));
        QCOMPARE(model::parameterCount(*spec), parameters);
        QCOMPARE(model::usualSequenceLength(*spec), sequenceLength);
        QVERIFY(!model::problemWith(*spec));
    }

    void hasARowAboveForEveryNetwork()
    {
        QCOMPARE(published.size(), hubModels().size());
        for (const HubModel& known : hubModels()) {
            QVERIFY2(
                std::ranges::any_of(
                    published, [&known](const Published& model) { return model.id == known.ids.front(); }),
                known.config.c_str());
        }
    }

    void saysWhatItsConfigSays_data()
    {
        rows<std::string, std::string>({
            {"window", {"mistralai/Mistral-7B-v0.1", "attends to the last 4096 tokens"}},
            {"no head", {"google/vit-base-patch16-224-in21k", "a classifier of 2 classes"}},
            {"nothing", {"mistralai/Mistral-7B-v0.3", ""}},
        });
    }
    void saysWhatItsConfigSays()
    {
        const auto& [id, warning] = row<std::string, std::string>();
        const Named found = named(id);
        QCOMPARE(found.warnings.size(), warning.empty() ? std::size_t{0} : std::size_t{1});
        if (warning.empty())
            return;
        QVERIFY(found.warnings.front().sentence.find(warning) != std::string::npos);
        QVERIFY(found.warnings.front().position == place);
    }

    void findsIds_data()
    {
        rows<std::string, bool>({
            {"gpt2", {"gpt2", false}},
            {"openai-community/gpt2", {"gpt2", false}},
            {"META-LLAMA/llama-3.2-1b", {"meta-llama/Llama-3.2-1B", false}},
            {"meta-llama/Llama-3.2-1B-Instruct", {"meta-llama/Llama-3.2-1B", false}},
            {"meta-llama/Llama-3.3-70B-Instruct", {"meta-llama/Llama-3.1-70B", false}},
            {"NousResearch/Llama-3.2-1B", {"meta-llama/Llama-3.2-1B", true}},
            {"unsloth/mistral-7b-v0.3", {"mistralai/Mistral-7B-v0.3", true}},
            {"Llama-3.2-1B", {"meta-llama/Llama-3.2-1B", true}},
            {"Qwen/Qwen2.5-7B", {"Qwen/Qwen2.5-7B", false}},
            {"Qwen/Qwen2.5-7B-Instruct", {"Qwen/Qwen2.5-7B-Instruct", false}},
        });
    }
    void findsIds()
    {
        const auto& [known, isByName] = row<std::string, bool>();
        const std::string id = QTest::currentDataTag();
        const auto match = findHubModel(id);
        QVERIFY(match);
        QCOMPARE(std::string(match->model->ids.front()), known);
        QCOMPARE(match->isByName, isByName);
        const auto warnings = named(id).warnings;
        QCOMPARE(warnings.size(), match->isByName ? std::size_t{1} : std::size_t{0});
        if (match->isByName) {
            QVERIFY(warnings.front().sentence.find('"' + id + '"') != std::string::npos);
            QVERIFY(warnings.front().position == place);
        }
    }

    void knowsNoOther_data()
    {
        const auto add = rows<std::string>();
        for (const char* id :
             {"", "/", "gpt", "gpt2-small", "meta-llama/Llama-3.2-1B-GGUF", "./gpt2", "../gpt2", "~/gpt2",
              "/gpt2", "/models/gpt2", "out/checkpoints/gpt2", "meta-llama/", "meta-llama"})
            add(id, id);
    }
    void knowsNoOther()
    {
        const auto& id = row<std::string>();
        const Named found = named(id);
        const auto* unsupported = std::get_if<UnsupportedModel>(&found.model);
        QVERIFY(unsupported);
        QVERIFY(unsupported->isElsewhere);
        QVERIFY(unsupported->position == place);
        QVERIFY(unsupported->sentence.find('"' + id + '"') != std::string::npos);
        QVERIFY(found.warnings.empty());
    }

    void hasNoIdTwice()
    {
        std::set<std::string> ids;
        std::set<std::string> names;
        for (const HubModel& known : hubModels()) {
            std::set<std::string> own;
            for (std::string_view id : known.ids) {
                const std::string lower = QString::fromLatin1(id.data()).toLower().toStdString();
                QVERIFY2(ids.insert(lower).second, id.data());
                own.insert(lower.substr(lower.rfind('/') + 1));
            }
            for (const std::string& name : own)
                QVERIFY2(names.insert(name).second, name.c_str());
        }
    }
};

BATCHPEAK_TEST(HubModelsTest)
#include "tst_hub_models.moc"
