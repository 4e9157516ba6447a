// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/networks/hub_models.h"
#include "config/unmodeled_features.h"
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

// Counts by transformers 5.23.0 (make test-hub-models). Except for networks without a head, they equal those
// that the hub publishes.
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
    {"mistralai/Mistral-7B-v0.1", "mistral", 7241732096, 32768},
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
    {"cerebras/Cerebras-GPT-111M", "gpt2", 111050496, 2048},
    {"cerebras/Cerebras-GPT-256M", "gpt2", 255977024, 2048},
    {"cerebras/Cerebras-GPT-590M", "gpt2", 590310912, 2048},
    {"cerebras/Cerebras-GPT-1.3B", "gpt2", 1315723264, 2048},
    {"cerebras/Cerebras-GPT-2.7B", "gpt2", 2651553280, 2048},
    {"cerebras/Cerebras-GPT-6.7B", "gpt2", 6658404352, 2048},
    {"cerebras/Cerebras-GPT-13B", "gpt2", 12853386240, 2048},
    {"bigscience/bloom", "bloom", 176247271424, 2048},
    {"huggyllama/llama-7b", "llama", 6738415616, 2048},
    {"huggyllama/llama-13b", "llama", 13015864320, 2048},
    {"huggyllama/llama-30b", "llama", 32528943616, 2048},
    {"huggyllama/llama-65b", "llama", 65285660672, 2048},
    {"openlm-research/open_llama_3b_v2", "llama", 3426473600, 2048},
    {"JackFram/llama-160m", "llama", 162417408, 2048},
    {"JackFram/llama-68m", "llama", 68030208, 2048},
    {"togethercomputer/LLaMA-2-7B-32K", "llama", 6738415616, 32768},
    {"princeton-nlp/Sheared-LLaMA-1.3B", "llama", 1345423360, 4096},
    {"princeton-nlp/Sheared-LLaMA-2.7B", "llama", 2701560320, 4096},
    {"upstage/SOLAR-10.7B-v1.0", "llama", 10731524096, 4096},
    {"codellama/CodeLlama-7b-hf", "llama", 6738546688, 16384},
    {"codellama/CodeLlama-7b-Python-hf", "llama", 6738415616, 16384},
    {"codellama/CodeLlama-13b-hf", "llama", 13016028160, 16384},
    {"codellama/CodeLlama-13b-Python-hf", "llama", 13015864320, 16384},
    {"codellama/CodeLlama-34b-hf", "llama", 33743970304, 16384},
    {"codellama/CodeLlama-70b-hf", "llama", 68976910336, 16384},
    {"canopylabs/orpheus-3b-0.1-pretrained", "llama", 3300867072, 131072},
    {"HuggingFaceTB/SmolLM-135M", "llama", 134515008, 2048},
    {"HuggingFaceTB/SmolLM-360M", "llama", 361821120, 2048},
    {"HuggingFaceTB/SmolLM-1.7B", "llama", 1711376384, 2048},
    {"01-ai/Yi-6B", "llama", 6061035520, 4096},
    {"01-ai/Yi-9B", "llama", 8829407232, 4096},
    {"01-ai/Yi-34B", "llama", 34388917248, 4096},
    {"01-ai/Yi-1.5-6B", "llama", 6061035520, 4096},
    {"01-ai/Yi-1.5-9B", "llama", 8829407232, 4096},
    {"01-ai/Yi-1.5-34B", "llama", 34388917248, 4096},
    {"deepseek-ai/deepseek-llm-7b-base", "llama", 6910365696, 4096},
    {"deepseek-ai/deepseek-llm-67b-base", "llama", 67425001472, 4096},
    {"deepseek-ai/deepseek-coder-1.3b-base", "llama", 1346471936, 16384},
    {"deepseek-ai/deepseek-coder-6.7b-base", "llama", 6740512768, 16384},
    {"deepseek-ai/deepseek-coder-33b-base", "llama", 33342991360, 16384},
    {"tiiuae/Falcon3-1B-Base", "llama", 1669408768, 4096},
    {"tiiuae/Falcon3-1B-Instruct", "llama", 1669408768, 8192},
    {"tiiuae/Falcon3-3B-Base", "llama", 3227655168, 32768},
    {"tiiuae/Falcon3-7B-Base", "llama", 7455550464, 32768},
    {"tiiuae/Falcon3-10B-Base", "llama", 10305653760, 32768},
    {"BSC-LT/salamandra-2b", "llama", 2253490176, 8192},
    {"BSC-LT/salamandra-7b", "llama", 7768117248, 8192},
    {"teknium/OpenHermes-2.5-Mistral-7B", "mistral", 7241748480, 32768},
    {"mistralai/Mistral-Small-24B-Base-2501", "mistral", 23572403200, 32768},
    {"mistralai/Magistral-Small-2506", "mistral", 23572403200, 40960},
    {"mistralai/Devstral-Small-2505", "mistral", 23572403200, 131072},
    {"mistralai/Ministral-8B-Instruct-2410", "mistral", 8019808256, 32768},
    {"mistralai/Codestral-22B-v0.1", "mistral", 22247282688, 32768},
    {"mistralai/Mistral-Large-Instruct-2407", "mistral", 122610069504, 131072},
    {"mistralai/Mixtral-8x22B-v0.1", "mixtral", 140620634112, 65536},
    {"mistralai/Mixtral-8x22B-Instruct-v0.1", "mixtral", 140630071296, 65536},
    {"Qwen/Qwen2.5-Math-1.5B", "qwen2", 1543714304, 4096},
    {"Qwen/Qwen2.5-Math-7B", "qwen2", 7615616512, 4096},
    {"Qwen/Qwen2.5-Math-72B", "qwen2", 72706203648, 4096},
    {"deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B", "qwen2", 1777088000, 131072},
    {"deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", "qwen2", 7615616512, 131072},
    {"Qwen/Qwen1.5-0.5B", "qwen2", 463987712, 32768},
    {"Qwen/Qwen1.5-1.8B", "qwen2", 1836828672, 32768},
    {"Qwen/Qwen1.5-4B", "qwen2", 3950369280, 32768},
    {"Qwen/Qwen1.5-7B", "qwen2", 7721324544, 32768},
    {"Qwen/Qwen1.5-14B", "qwen2", 14167290880, 32768},
    {"Qwen/Qwen1.5-32B", "qwen2", 32512218112, 32768},
    {"Qwen/Qwen1.5-72B", "qwen2", 72287920128, 32768},
    {"Qwen/Qwen1.5-110B", "qwen2", 111209914368, 32768},
    {"Qwen/Qwen3-4B-Instruct-2507", "qwen3", 4022468096, 262144},
    {"deepseek-ai/DeepSeek-R1-0528-Qwen3-8B", "qwen3", 8190735360, 131072},
    {"bert-base-multilingual-cased", "bert", 177974523, 512},
    {"bert-base-multilingual-uncased", "bert", 167463831, 512},
    {"bert-base-chinese", "bert", 102290312, 512},
    {"prajjwal1/bert-tiny", "bert", 4416698, 512},
    {"prajjwal1/bert-mini", "bert", 11201594, 512},
    {"prajjwal1/bert-small", "bert", 28795194, 512},
    {"prajjwal1/bert-medium", "bert", 41404730, 512},
    {"google/vit-base-patch16-384", "vit", 86859496, 1},
    {"google/vit-base-patch32-384", "vit", 88297192, 1},
    {"google/vit-large-patch16-384", "vit", 304715752, 1},
    {"google/vit-large-patch32-384", "vit", 306632680, 1},
    {"Qwen/Qwen3-30B-A3B", "qwen3_moe", 30532122624, 40960},
    {"Qwen/Qwen3-30B-A3B-Base", "qwen3_moe", 30532122624, 32768},
    {"Qwen/Qwen3-30B-A3B-Instruct-2507", "qwen3_moe", 30532122624, 262144},
    {"Qwen/Qwen3-235B-A22B", "qwen3_moe", 235093634560, 40960},
    {"Qwen/Qwen3-235B-A22B-Instruct-2507", "qwen3_moe", 235093634560, 262144},
    {"microsoft/Phi-3-mini-4k-instruct", "phi3", 3821079552, 4096},
    {"microsoft/Phi-3-mini-128k-instruct", "phi3", 3821079552, 131072},
    {"microsoft/Phi-3-medium-4k-instruct", "phi3", 13960238080, 4096},
    {"microsoft/Phi-3-medium-128k-instruct", "phi3", 13960238080, 131072},
    {"microsoft/phi-4", "phi3", 14659507200, 16384},
    {"microsoft/Phi-4-reasoning", "phi3", 14659507200, 32768},
    {"microsoft/Phi-4-mini-instruct", "phi3", 3836021760, 131072},
    {"google/gemma-2b", "gemma", 2506172416, 8192},
    {"google/gemma-7b", "gemma", 8537680896, 8192},
    {"stabilityai/stablelm-3b-4e1t", "stablelm", 2795443200, 4096},
    {"stabilityai/stable-code-3b", "stablelm", 2795443200, 16384},
    {"stabilityai/stablelm-2-1_6b", "stablelm", 1644515328, 4096},
    {"bigcode/starcoder2-3b", "starcoder2", 3030371328, 16384},
    {"bigcode/starcoder2-7b", "starcoder2", 7173923840, 16384},
    {"bigcode/starcoder2-15b", "starcoder2", 15957889024, 16384},
    {"bigcode/starcoder", "gpt_bigcode", 15517456384, 8192},
    {"bigcode/starcoderbase-7b", "gpt_bigcode", 7327263232, 8192},
    {"bigcode/starcoderbase-3b", "gpt_bigcode", 3043311104, 8192},
    {"bigcode/starcoderbase-1b", "gpt_bigcode", 1137207296, 8192},
    {"ByteDance-Seed/Seed-OSS-36B-Instruct", "seed_oss", 36151104512, 524288},
    {"zai-org/glm-4-9b-chat-hf", "glm", 9399951360, 131072},
    {"HuggingFaceTB/SmolLM3-3B", "smollm3", 3075098624, 65536},
    {"mosaicml/mpt-7b", "mpt", 6649286656, 2048},
    {"mosaicml/mpt-30b", "mpt", 29957200896, 8192},
    {"tencent/Hunyuan-0.5B-Instruct", "hunyuan_v1_dense", 539010048, 262144},
    {"tencent/Hunyuan-4B-Instruct", "hunyuan_v1_dense", 4221757440, 262144},
    {"Qwen/Qwen-1_8B", "qwen", 1836828672, 8192},
    {"Qwen/Qwen-7B", "qwen", 7721324544, 8192},
    {"Qwen/Qwen-14B", "qwen", 14167290880, 8192},
    {"Qwen/Qwen1.5-MoE-A2.7B", "qwen2_moe", 14315784192, 8192},
    {"microsoft/phi-1", "phi", 1418270720, 2048},
    {"microsoft/phi-2", "phi", 2779683840, 2048},
    {"google/gemma-2-2b", "gemma2", 2614341888, 8192},
    {"google/gemma-2-9b", "gemma2", 9241705984, 8192},
    {"google/gemma-2-27b", "gemma2", 27227128320, 8192},
    {"google/gemma-3-270m", "gemma3_text", 268098176, 32768},
    {"google/gemma-3-1b-it", "gemma3_text", 999885952, 32768},
    {"EleutherAI/gpt-neo-125m", "gpt_neo", 125198592, 2048},
    {"EleutherAI/gpt-neo-1.3B", "gpt_neo", 1315575808, 2048},
    {"EleutherAI/gpt-neo-2.7B", "gpt_neo", 2651307520, 2048},
    {"EleutherAI/gpt-j-6b", "gptj", 6050882784, 2048},
    {"EleutherAI/gpt-neox-20b", "gpt_neox", 20554567680, 2048},
    {"EleutherAI/pythia-70m", "gpt_neox", 70426624, 2048},
    {"EleutherAI/pythia-160m", "gpt_neox", 162322944, 2048},
    {"EleutherAI/pythia-410m", "gpt_neox", 405334016, 2048},
    {"EleutherAI/pythia-1b", "gpt_neox", 1011781632, 2048},
    {"EleutherAI/pythia-1.4b", "gpt_neox", 1414647808, 2048},
    {"EleutherAI/pythia-2.8b", "gpt_neox", 2775208960, 2048},
    {"EleutherAI/pythia-6.9b", "gpt_neox", 6857302016, 2048},
    {"EleutherAI/pythia-12b", "gpt_neox", 11846072320, 2048},
    {"togethercomputer/RedPajama-INCITE-Base-3B-v1", "gpt_neox", 2775864320, 2048},
    {"tiiuae/falcon-7b", "falcon", 6921720704, 2048},
    {"tiiuae/falcon-40b", "falcon", 41303293952, 2048},
    {"tiiuae/falcon-180B", "falcon", 178557088768, 2048},
    {"tiiuae/falcon-rw-1b", "falcon", 1311625216, 2048},
    {"facebook/opt-125m", "opt", 125239296, 2048},
    {"facebook/opt-1.3b", "opt", 1315758080, 2048},
    {"facebook/opt-2.7b", "opt", 2651596800, 2048},
    {"facebook/opt-6.7b", "opt", 6658473984, 2048},
    {"facebook/opt-13b", "opt", 12853473280, 2048},
    {"facebook/opt-30b", "opt", 29974540288, 2048},
    {"facebook/opt-66b", "opt", 65719701504, 2048},
    {"CohereForAI/c4ai-command-r-v01", "cohere", 34980831232, 8192},
    {"CohereForAI/aya-expanse-8b", "cohere", 8028033024, 8192},
    {"CohereForAI/c4ai-command-r7b-12-2024", "cohere2", 8028033024, 132096},
    {"zai-org/GLM-4-9B-0414", "glm4", 9400279040, 32768},
    {"zai-org/GLM-4.5-Air", "glm4_moe", 106852245504, 131072},
    {"nvidia/Nemotron-Mini-4B-Instruct", "nemotron", 4190509056, 4096},
    {"ibm-granite/granite-3.1-3b-a800m-instruct", "granitemoe", 3298793472, 131072},
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

/// Returns all positions of a network, of which a trial may use fewer.
std::int64_t positionsOf(const model::ModelSpec& spec)
{
    const auto* decoder = std::get_if<model::DecoderSpec>(&spec.architecture);
    return decoder ? decoder->maxPositions : model::defaultSequenceLength(spec);
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
        QCOMPARE(positionsOf(*spec), sequenceLength);
        QVERIFY(!model::problemWith(*spec));
    }

    void hasAPublishedCountForEveryNetwork()
    {
        QCOMPARE(published.size(), hubModels().size());
        for (const HubModel& known : hubModels()) {
            QVERIFY2(
                std::ranges::any_of(
                    published, [&known](const Published& model) { return model.id == known.ids.front(); }),
                known.config.c_str());
        }
    }

    void warnsOfSettingsInItsConfig_data()
    {
        rows<std::string, std::string>({
            {"dropout", {"microsoft/phi-2", "Trials drop embeddings and every residual branch"}},
            {"no head", {"google/vit-base-patch16-224-in21k", "a classifier of 2 classes"}},
            {"nothing", {"mistralai/Mistral-7B-v0.3", ""}},
        });
    }
    void warnsOfSettingsInItsConfig()
    {
        const auto& [id, warning] = row<std::string, std::string>();
        const Named found = named(id);
        QCOMPARE(found.warnings.size(), warning.empty() ? std::size_t{0} : std::size_t{1});
        if (warning.empty())
            return;
        QVERIFY(found.warnings.front().sentence.find(warning) != std::string::npos);
        QVERIFY(found.warnings.front().position == place);
    }

    void findsCopiesWithOtherWeights_data()
    {
        using enum model::FrozenWeights;
        rows<std::string, model::FrozenWeights>({
            {"TheBloke/Llama-2-7B-GPTQ", {"meta-llama/Llama-2-7b-hf", Nf4}},
            {"TheBloke/Llama-2-7b-Chat-AWQ", {"meta-llama/Llama-2-7b-hf", Nf4}},
            {"someone/Meta-Llama-3-8B-Instruct-GPTQ", {"meta-llama/Meta-Llama-3-8B", Nf4}},
            {"unsloth/Llama-3.2-1B-Instruct-bnb-4bit", {"meta-llama/Llama-3.2-1B", Nf4}},
            {"unsloth/Qwen3-8B-unsloth-bnb-4bit", {"Qwen/Qwen3-8B", Nf4}},
            {"Qwen/Qwen2.5-7B-Instruct-GPTQ-Int8", {"Qwen/Qwen2.5-7B-Instruct", Int8}},
            {"someone/mistral-7b-v0.3-bf16", {"mistralai/Mistral-7B-v0.3", Same}},
            {"unsloth/gemma-2-9b-it-bnb-4bit", {"google/gemma-2-9b", Nf4}},
            {"someone/smollm2-360M-sft", {"HuggingFaceTB/SmolLM2-360M", Same}},
        });
    }
    void findsCopiesWithOtherWeights()
    {
        const auto& [known, weights] = row<std::string, model::FrozenWeights>();
        const auto match = findHubModel(QTest::currentDataTag());
        QVERIFY(match);
        QCOMPARE(std::string(match->model->ids.front()), known);
        QVERIFY(match->isByName);
        QVERIFY(match->weights == weights);
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

    void refusesOtherIds_data()
    {
        const auto add = rows<std::string>();
        for (const char* id :
             {"", "/", "gpt", "gpt2-small", "meta-llama/Llama-3.2-1B-GGUF", "./gpt2", "../gpt2", "~/gpt2",
              "/gpt2", "/models/gpt2", "out/checkpoints/gpt2", "meta-llama/", "meta-llama"})
            add(id, id);
    }
    void refusesOtherIds()
    {
        const auto& id = row<std::string>();
        const Named found = named(id);
        const auto* unsupported = std::get_if<UnsupportedModel>(&found.model);
        QVERIFY(unsupported);
        QVERIFY(unsupported->isElsewhere);
        QCOMPARE(unsupported->reason, std::string(reason::unknownId));
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
