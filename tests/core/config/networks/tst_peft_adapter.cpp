// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/networks/peft_adapter.h"
#include "config/networks/trained_parts.h"
#include "config/unmodeled_features.h"
#include "known_networks.h"
#include "model/parameter_table.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "syntax/yaml_document.h"

#include <string>

using namespace batchpeak;
using namespace batchpeak::config;
using test::row;
using test::rows;

namespace {

using Names = std::vector<std::string>;

struct Adapted
{
    std::string network;
    PeftAdapter adapter;
    std::string targets;
    /// Prefixes of parameter names, separated by spaces.
    std::string parts;
};

struct Refused
{
    std::string network;
    PeftAdapter adapter;
    std::string reason;
};

struct Trained
{
    std::string network;
    Names marks;
    std::string parts;
    bool isAll = false;
    bool hasPartsOfMatrices = false;
};

std::string textOf(const std::vector<model::AdapterTarget>& targets)
{
    std::string text;
    for (const model::AdapterTarget& target : targets) {
        text += (text.empty() ? "" : " ") + std::string(toText(target.projection));
        for (std::int64_t layer : target.layers)
            text += "." + std::to_string(layer);
    }
    return text;
}

std::string textOf(const Names& names)
{
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : " ") + name;
    return text;
}

PeftAdapter adapterOn(ModuleChoice targets)
{
    return {.targets = std::move(targets), .place = {.path = "target_modules", .position = {3, 7}}};
}

PeftAdapter adapterOnLayers(ModuleChoice targets, std::vector<std::int64_t> layers, Names patterns = {})
{
    PeftAdapter adapter = adapterOn(std::move(targets));
    adapter.layers = std::move(layers);
    adapter.layersPatterns = std::move(patterns);
    return adapter;
}

PeftAdapter adapterWithout(ModuleChoice targets, ModuleChoice excluded)
{
    PeftAdapter adapter = adapterOn(std::move(targets));
    adapter.excluded = std::move(excluded);
    return adapter;
}

PeftAdapter adapterSaving(ModuleChoice targets, Names modules)
{
    PeftAdapter adapter = adapterOn(std::move(targets));
    adapter.modulesToSave = std::move(modules);
    return adapter;
}

PeftAdapter adapterOnLinearNames(bool takesConv1d)
{
    PeftAdapter adapter = adapterOn(Names());
    adapter.targetsLinearNames = true;
    adapter.takesConv1d = takesConv1d;
    return adapter;
}

constexpr const char* allOfLlama = "query key value attention_output gate up down";

} // namespace

/// Tests which modules get adapters by their names. The expected modules are PEFT's.
class PeftAdapterTest : public QObject
{
    Q_OBJECT

private slots:
    void adapts_data()
    {
        const auto add = rows<Adapted>();
        add("usual ones", {"llama", adapterOn({}), "query value"});
        add("usual ones of GPT-2", {"gpt2", adapterOn({}), "query_key_value"});
        add("usual ones of T5", {"t5", adapterOn({}), "query value cross_query cross_value"});
        add("usual ones of BERT", {"bert", adapterOn({}), "query value"});
        add("all linear", {"llama", adapterOn("all-linear"), allOfLlama});
        add("all linear, in capitals", {"llama", adapterOn("All-Linear"), allOfLlama});
        add("all linear of GPT-2",
            {"gpt2", adapterOn("all-linear"), "query_key_value attention_output up down"});
        add("feed-forward layers before experts",
            {"glm4_moe", adapterOn(Names{"q_proj", "mlp.up_proj"}), "query up.0"});
        add("experts that every token takes",
            {"glm4_moe", adapterOn(Names{"q_proj", "shared_experts.up_proj"}), "up.1.2 query"});
        add("both of these", {"glm4_moe", adapterOn(Names{"up_proj"}), "up"});
        add("usual ones of branches side by side", {"gpt_neox", adapterOn({}), "query_key_value"});
        add("usual ones of GPT-J", {"gptj", adapterOn({}), "value query"});
        add("all linear of GPT-Neo",
            {"gpt_neo", adapterOn("all-linear"), "key value query attention_output up down"});
        add("saved head of classes", {"bert with classes", adapterSaving(Names{"query"}, {"classifier"}),
                                      "query", "next_sentence.weight next_sentence.bias"});
        add("all linear of T5", {"t5 1.1", adapterOn("all-linear"),
                                 "query key value attention_output gate up down cross_query cross_key "
                                 "cross_value cross_output"});
        add("all linear of images", {"vit", adapterOn("all-linear"),
                                     "query key value attention_output up down "
                                     "output"});
        add("linear names", {"llama", adapterOnLinearNames(false), allOfLlama});
        add("linear names of GPT-2 in 4 bits",
            {"gpt2", adapterOnLinearNames(true), "query_key_value attention_output up down"});
        add("ends of names", {"llama", adapterOn(Names{"q_proj", "mlp.up_proj"}), "query up"});
        add("a part of a word is no end", {"llama", adapterOn(Names{"q_proj", "proj"}), "query"});
        add("two modules of one name", {"gpt2", adapterOn(Names{"c_proj"}), "attention_output down"});
        add("one layer by its number", {"llama", adapterOn(Names{"1.self_attn.q_proj"}), "query.1"});
        add("a whole name", {"llama", adapterOn(Names{"model.layers.2.mlp.down_proj"}), "down.2"});
        add("a name from within",
            {"llama", adapterOn(Names{"layers.2.mlp.down_proj", "q_proj"}), "query down.2"});
        add("a number with a zero before it is another",
            {"llama", adapterOn(Names{"layers.02.mlp.down_proj", "q_proj"}), "query"});
        add("a number beyond the layers",
            {"llama", adapterOn(Names{"layers.3.mlp.down_proj", "q_proj"}), "query"});
        add("output", {"llama", adapterOn(Names{"lm_head"}), "output"});
        add("output that is the embedding", {"gpt2", adapterOn(Names{"lm_head"}), "output"});
        add("pattern", {"llama", adapterOn("model.layers.[\\d]+.(mlp|self_attn).(up|down|gate|q|k|v|o)_proj"),
                        allOfLlama});
        add("pattern of some layers",
            {"llama", adapterOn(".*\\.layers\\.(0|2)\\.self_attn\\.(q|v)_proj|.*\\.mlp\\.up_proj"),
             "query.0.2 value.0.2 up"});
        add("pattern of heads", {"bert with all heads", adapterOn(".*(pooler|transform)\\.dense"), "dense"});
        add("layers", {"llama", adapterOnLayers(Names{"q_proj", "up_proj"}, {0, 2}), "query.0.2 up.0.2"});
        add("layers by their word", {"llama", adapterOnLayers(Names{"q_proj"}, {1}, {"layers"}), "query.1"});
        add("layers of all linear", {"llama", adapterOnLayers("all-linear", {1}),
                                     "query.1 key.1 value.1 attention_output.1 gate.1 up.1 down.1"});
        add("layers of a pattern do not count", {"llama", adapterOnLayers(".*q_proj", {1}), "query"});
        add("blocks of T5", {"t5", adapterOnLayers(Names{"q"}, {0, 1}), "query.0.1 cross_query"});
        add("excluded by name", {"llama", adapterWithout("all-linear", Names{"mlp.up_proj", "o_proj"}),
                                 "query key value gate down"});
        add("excluded by pattern",
            {"llama", adapterWithout(Names{"q_proj", "v_proj"}, ".*layers\\.0\\..*"), "query.1.2 value.1.2"});
        add("saved", {"llama", adapterSaving(Names{"q_proj"}, {"embed_tokens", "lm_head"}), "query",
                      "embed_tokens.weight output.weight"});
        add("saved of a network whose output is its embedding",
            {"gpt2", adapterSaving(Names{"c_attn"}, {"lm_head"}), "query_key_value", "output.weight"});
        add("saved by the end of a name", {"gpt2", adapterSaving(Names{"c_attn"}, {"ln_f"}),
                                           "query_key_value", "final_norm.weight final_norm.bias"});
        add("saved is not adapted",
            {"llama", adapterSaving(Names{"q_proj", "lm_head"}, {"lm_head"}), "query", "output.weight"});
        add("saved layer", {"llama", adapterSaving(Names{"q_proj"}, {"layers.2"}), "query.0.1", "layers.2."});
    }

    void adapts()
    {
        const auto& [network, adapter, targets, parts] = row<Adapted>();
        std::vector<Warning> warnings;
        const model::Tuning tuning = tuningOf(adapter, namedNetwork(network), warnings);
        QCOMPARE(textOf(tuning.targets), targets);
        QCOMPARE(textOf(tuning.trainedParts), parts);
        QVERIFY(warnings.empty());
    }

    void trainsTheHeadOfClassifiers_data()
    {
        const auto add = rows<Adapted>();
        add("classes of texts", {"bert with classes", adapterOn(Names{"query"}), "query",
                                 "next_sentence.weight next_sentence.bias"});
        add("no head of that kind", {"llama", adapterOn(Names{"q_proj"}), "query"});
    }

    void trainsTheHeadOfClassifiers()
    {
        auto [network, adapter, targets, parts] = row<Adapted>();
        addSavedHeads(adapter, "CAUSAL_LM");
        QVERIFY(adapter.modulesToSave.empty());
        addSavedHeads(adapter, "SEQ_CLS");
        std::vector<Warning> warnings;
        const model::Tuning tuning = tuningOf(adapter, namedNetwork(network), warnings);
        QCOMPARE(textOf(tuning.targets), targets);
        QCOMPARE(textOf(tuning.trainedParts), parts);
    }

    void warnsThatExpertsHaveNoAdapters()
    {
        std::vector<Warning> warnings;
        const model::Tuning tuning = tuningOf(adapterOn("all-linear"), namedNetwork("mixtral"), warnings);
        QCOMPARE(textOf(tuning.targets), "query key value attention_output");
        QCOMPARE(warnings.size(), std::size_t{1});
        QCOMPARE(warnings.front().sentence,
                 "Adapters stand beside all linear layers (target_modules), of which experts are none in "
                 "transformers 5; releases of PEFT after 0.18 may put some beside them too.");
    }

    /// Counts of print_trainable_parameters() in PEFT 0.18 for Llama-3.2-1B with rank 8: attention only, and
    /// all linear layers.
    void countsAsPeftDoes()
    {
        model::DecoderSpec spec = std::get<model::DecoderSpec>(namedNetwork("llama").architecture);
        spec.vocabularySize = 128256;
        spec.hiddenSize = 2048;
        spec.layers = 16;
        spec.heads = 32;
        spec.keyValueHeads = 8;
        spec.feedForwardSize = 8192;
        spec.tiedEmbeddings = true;
        const model::ModelSpec network{.family = "llama", .architecture = spec};
        std::vector<Warning> warnings;
        const auto counted = [&](const ModuleChoice& targets) {
            return model::parameterCounts(network, tuningOf(adapterOn(targets), network, warnings));
        };
        QCOMPARE(counted({}).trained, std::int64_t{851968});
        QCOMPARE(counted("all-linear").trained, std::int64_t{5636096});
        QCOMPARE(counted("all-linear").all(), std::int64_t{1241450496});
    }

    void refuses_data()
    {
        const auto add = rows<Refused>();
        add("embedding", {"llama", adapterOn(Names{"q_proj", "embed_tokens"}), "adapters on embeddings"});
        add("experts by their older names",
            {"mixtral", adapterOn(Names{"q_proj", "w1", "w2", "w3"}), "adapters on experts"});
        add("router", {"mixtral", adapterOn(Names{"q_proj", "gate"}), "adapters on experts"});
        add("classifier",
            {"bert with all heads", adapterOn("all-linear"), "adapters on modules that have none here"});
        add("one of two heads", {"bert with all heads", adapterOn(Names{"pooler.dense"}),
                                 "adapters on modules that have none here"});
        add("convolution",
            {"vit", adapterOn(Names{"projection"}), "adapters on modules that have none here"});
        add("an encoder alone",
            {"t5", adapterOn("encoder.*\\.q"), "adapters on modules that have none here"});
        add("reference", {"llama", adapterOn("(a)\\1"), "a pattern of names that is not read"});
        add("network of convolutions", {"none", adapterOn({}), "adapters on modules that have none here"});
    }

    void refuses()
    {
        const auto& [network, adapter, reason] = row<Refused>();
        const model::ModelSpec spec =
            network == "none" ? model::ModelSpec{.family = "resnet", .architecture = model::ResNetSpec()}
                              : namedNetwork(network);
        std::vector<Warning> warnings;
        try {
            tuningOf(adapter, spec, warnings);
            QFAIL("It is read.");
        } catch (const NotRun& notRun) {
            QCOMPARE(notRun.why.reason, reason);
            QCOMPARE(notRun.why.position.line, std::size_t{3});
        }
    }

    void reportsWhatPeftRefuses_data()
    {
        const auto add = rows<Refused>();
        add("nothing of that name",
            {"llama", adapterOn(Names{"c_attn"}),
             "The value of target_modules names no module of the network, a llama, that can have an adapter; "
             "write names such as q_proj, v_proj."});
        add("no whole name", {"llama", adapterOn("q_proj"),
                              "The value of target_modules names no module of the network, a llama, that can "
                              "have an adapter; write names such as q_proj, v_proj."});
        add("Conv1D is no Linear",
            {"gpt2", adapterOnLinearNames(false),
             "The value of target_modules names no module of the network, a gpt2, that can have an adapter; "
             "write names such as c_attn."});
        add("normalization", {"llama", adapterOn(Names{"q_proj", "input_layernorm"}),
                              "The value of target_modules names model.layers.0.input_layernorm, a "
                              "normalization, which PEFT has "
                              "no adapter for; leave it out."});
        add("no usual ones",
            {"vit", adapterOn({}),
             "target_modules names no modules, and PEFT has no usual ones for the network vit; "
             "write some."});
        add("illegal pattern",
            {"llama", adapterOn("(a"),
             "The value of target_modules is no regular expression: missing closing parenthesis."});
    }

    void reportsWhatPeftRefuses()
    {
        const auto& [network, adapter, problem] = row<Refused>();
        std::vector<Warning> warnings;
        try {
            tuningOf(adapter, namedNetwork(network), warnings);
            QFAIL("It is read.");
        } catch (const ConfigError& error) {
            QCOMPARE(std::string(error.what()), problem);
        }
    }

    void trainsParts_data()
    {
        const auto add = rows<Trained>();
        add("a layer", {"llama", {"layers.1."}, "layers.1."});
        add("a module outside", {"llama", {"lm_head"}, "output.weight"});
        add("the output that is the embedding is no parameter", {"gpt2", {"lm_head"}, ""});
        add("the embedding", {"gpt2", {"wte"}, "embed_tokens.weight"});
        add("feed-forward layers", {"llama",
                                    {"layers.0.mlp."},
                                    "layers.0.feed_forward.up.weight "
                                    "layers.0.feed_forward.down.weight"});
        add("a part of a matrix",
            {"llama", {"layers.0.self_attn.q_proj"}, "layers.0.attention.qkv.weight", false, true});
        add("all parts of a matrix",
            {"qwen2",
             {"layers.0.self_attn.q_proj", "layers.0.self_attn.k_proj", "layers.0.self_attn.v_proj"},
             "layers.0.attention.qkv.weight layers.0.attention.qkv.bias"});
        add("experts by their older names",
            {"mixtral", {"layers.0.block_sparse_moe.experts"}, "layers.0.experts.up layers.0.experts.down"});
        add("an encoder's layer", {"t5", {"encoder.block.1."}, "encoder.layers.1."});
        add("all", {"llama",
                    {""},
                    "embed_tokens.weight layers.0. layers.1. layers.2. final_norm.weight "
                    "output.weight",
                    true});
    }

    void trainsParts()
    {
        const auto& [network, marks, parts, isAll, hasPartsOfMatrices] = row<Trained>();
        const auto isTrained = [&marks = marks](std::string_view name) {
            return std::ranges::any_of(
                marks, [name](const std::string& mark) { return name.find(mark) != std::string_view::npos; });
        };
        const TrainedParts found =
            trainedPartsOf(namedNetwork(network), isTrained, SharedOutput::IsEmbedding);
        QCOMPARE(textOf(found.parts), parts);
        QCOMPARE(found.isAll, isAll);
        QCOMPARE(found.hasPartsOfMatrices, hasPartsOfMatrices);
    }

    void readsPeftConfigs()
    {
        const YamlDocument document(
            "{r: 4, lora_alpha: 12, lora_dropout: 0.1, use_rslora: true, use_dora: true,"
            " target_modules: [q_proj], exclude_modules: .*0.*, modules_to_save: [norm],"
            " layers_to_transform: 1, layers_pattern: layers, bias: none,"
            " init_lora_weights: pissa, peft_type: LORA}");
        const PeftAdapter adapter = readPeftConfig(*ConfigSection::root(document));
        QCOMPARE(adapter.rank, std::int64_t{4});
        QCOMPARE(adapter.alpha, 12.0);
        QCOMPARE(adapter.dropout, 0.1);
        QVERIFY(adapter.rankStabilized && adapter.usesDora);
        QVERIFY(adapter.targets == ModuleChoice(Names{"q_proj"}));
        QVERIFY(adapter.excluded == ModuleChoice(".*0.*"));
        QVERIFY(adapter.modulesToSave == Names{"norm"});
        QVERIFY(adapter.layers == std::vector<std::int64_t>{1});
        QVERIFY(adapter.layersPatterns == Names{"layers"});
        const YamlDocument empty("{}");
        const PeftAdapter usual = readPeftConfig(*ConfigSection::root(empty));
        QCOMPARE(usual.rank, std::int64_t{8});
        QCOMPARE(usual.alpha, 8.0);
        QCOMPARE(usual.dropout, 0.0);
    }

    void refusesOtherKinds_data()
    {
        rows<std::string, std::string>({
            {"IA3", {"peft_type: IA3", "an adapter of another kind (IA3)"}},
            {"biases", {"bias: all", "a part of a network that is trained alone"}},
            {"ranks", {"rank_pattern: {q_proj: 4}", "adapters of several kinds"}},
            {"tokens", {"trainable_token_indices: [1]", "adapters on embeddings"}},
        });
    }

    void refusesOtherKinds()
    {
        const auto& [text, reason] = row<std::string, std::string>();
        const YamlDocument document("{" + text + "}");
        try {
            readPeftConfig(*ConfigSection::root(document));
            QFAIL("It is read.");
        } catch (const NotRun& notRun) {
            QCOMPARE(notRun.why.reason, reason);
        }
    }
};

BATCHPEAK_TEST(PeftAdapterTest)
#include "tst_peft_adapter.moc"
