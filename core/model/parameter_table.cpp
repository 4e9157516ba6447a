// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "parameter_table.h"

#include "spec_checks.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace batchpeak::model {

namespace {

constexpr std::string_view weightEnd = ".weight";
constexpr std::string_view embeddingName = "embed_tokens.weight";
constexpr std::string_view outputName = "output.weight";
constexpr std::string_view originalPrefix = "original.";

/// Returns "layers.3.attention.qkv" for the name of its weight.
std::string_view withoutWeight(std::string_view name)
{
    return name.ends_with(weightEnd) ? name.substr(0, name.size() - weightEnd.size()) : name;
}

/// Tuning::trainedParts, sorted, since there may be as many of them as parameters.
class TrainedParts
{
public:
    explicit TrainedParts(const Tuning& tuning)
        : m_parts(tuning.trainedParts.begin(), tuning.trainedParts.end())
    {
        std::ranges::sort(m_parts);
    }

    bool have(std::string_view name) const
    {
        for (std::size_t length = 0; length <= name.size(); ++length) {
            if (std::ranges::binary_search(m_parts, name.substr(0, length)))
                return true;
        }
        return false;
    }

private:
    std::vector<std::string_view> m_parts;
};

/// bitsandbytes' layers replace all linear layers except the projection onto the vocabulary
/// (get_keys_to_not_convert in transformers 5, quantizers).
bool canBeQuantized(const Parameter& parameter, const Tuning& tuning)
{
    if (parameter.name.ends_with("experts.up") || parameter.name.ends_with("experts.down"))
        return tuning.quantizesExperts;
    // T5 keeps the last matrix of its feed-forward layers in fp32 (_keep_in_fp32_modules in transformers 5,
    // models/t5/modeling_t5.py).
    const bool isOfPair = parameter.name.starts_with("encoder.") || parameter.name.starts_with("decoder.");
    if (isOfPair && parameter.name.ends_with("feed_forward.down.weight"))
        return false;
    return !parameter.projections.empty() && parameter.projections.front().projection != Projection::Output;
}

void addAdapters(std::vector<Parameter>& table, const Parameter& matrix, const Tuning& tuning)
{
    const std::string name(withoutWeight(matrix.name));
    const auto layer = layerOf(name);
    const std::int64_t inputs = matrix.shape.back();
    for (const auto& [projection, firstRow, rows] : adapterPlaces(matrix)) {
        if (!isTarget(tuning, projection, layer))
            continue;
        const std::string prefix = name + "." + std::string(toText(projection));
        table.push_back({.name = prefix + ".lora_a", .shape = {tuning.rank, inputs}});
        table.push_back({.name = prefix + ".lora_b",
                         .shape = {rows, tuning.rank},
                         .initialization = Initialization::Zeros});
        if (tuning.adapter == AdapterKind::Dora)
            table.push_back(
                {.name = prefix + ".magnitude", .shape = {rows}, .initialization = Initialization::Ones});
    }
}

Parameter frozen(Parameter parameter, const Tuning& tuning)
{
    const bool isNarrow = isQuantized(tuning.frozenWeights) && canBeQuantized(parameter, tuning);
    parameter.role = isNarrow ? ParameterRole::Quantized : ParameterRole::Frozen;
    // torchtune's networks have a matrix for each projection, even Phi-3
    // (torchtune/models/phi3/_component_builders.py of 0.6).
    if (isNarrow && tuning.frozenWeights == FrozenWeights::TorchaoNf4)
        parameter.isJoined = false;
    return parameter;
}

/// Returns the output's matrix as a parameter of its own if the output shares the embedding's matrix.
std::optional<Parameter> sharedOutput(const std::vector<Parameter>& table)
{
    const auto named = [&table](std::string_view name) {
        return std::ranges::find(table, name, &Parameter::name);
    };
    const auto embedding = named(embeddingName);
    if (embedding == table.end() || named(outputName) != table.end())
        return std::nullopt;
    Parameter output = *embedding;
    output.name = outputName;
    output.isEmbedding = false;
    output.projections = {{Projection::Output, output.shape.front()}};
    return output;
}

/// Freezes all parameters that are not trained. Those that share a matrix are trained or frozen together.
std::vector<Parameter> partlyTrained(std::vector<Parameter> table, const Tuning& tuning)
{
    const bool sharesOutput = sharedOutput(table).has_value();
    const TrainedParts parts(tuning);
    for (Parameter& parameter : table) {
        const bool isTrained = parts.have(parameter.name) ||
                               (sharesOutput && parameter.name == embeddingName && parts.have(outputName));
        if (!isTrained)
            parameter = frozen(std::move(parameter), tuning);
    }
    return table;
}

/// Adds the trained copy of a parameter, and its original. If the embedding was shared with the output, and
/// only its copy is trained, the output is the original.
void addCopies(std::vector<Parameter>& table, const Parameter& parameter, bool keepsOriginal,
               const Tuning& tuning)
{
    table.push_back(parameter);
    if (!keepsOriginal)
        return;
    Parameter original = frozen(parameter, tuning);
    original.name.insert(0, originalPrefix);
    original.projections.clear();
    table.push_back(std::move(original));
}

std::vector<Parameter> adapted(const std::vector<Parameter>& table, const Tuning& tuning)
{
    const std::optional<Parameter> shared = sharedOutput(table);
    const TrainedParts parts(tuning);
    const bool trainsOutput = parts.have(outputName);
    std::vector<Parameter> result;
    for (const Parameter& parameter : table) {
        if (parts.have(parameter.name)) {
            const bool isShared = shared && parameter.name == embeddingName;
            addCopies(result, parameter, !isShared || trainsOutput, tuning);
        } else {
            result.push_back(frozen(parameter, tuning));
            addAdapters(result, parameter, tuning);
        }
    }
    if (!shared)
        return result;
    if (trainsOutput)
        result.push_back(*shared);
    else if (parts.have(embeddingName))
        result.push_back(frozen(*shared, tuning));
    if (!trainsOutput)
        addAdapters(result, *shared, tuning);
    return result;
}

/// Whether a family computes several projections with one matrix, as its class in transformers 5.23 does.
bool isJoinedIn(std::string_view family, const Parameter& matrix)
{
    const auto isAmong = [family](std::initializer_list<std::string_view> families) {
        return std::ranges::find(families, family) != families.end();
    };
    if (matrix.name.ends_with("attention.qkv.weight"))
        return isAmong({"gpt2", "gpt3", "jais", "btlm", "bloom", "mpt", "phi3", "gpt_bigcode", "gpt_neox",
                        "falcon", "qwen"});
    return matrix.name.ends_with("feed_forward.up.weight") && isAmong({"phi3", "glm", "glm4"});
}

} // namespace

std::vector<Parameter> parameterTable(const ModelSpec& spec)
{
    std::vector<Parameter> table =
        std::visit([](const auto& architecture) { return parameterTable(architecture); }, spec.architecture);
    for (Parameter& parameter : table)
        parameter.isJoined = isJoinedIn(spec.family, parameter);
    return table;
}

std::vector<Parameter> parameterTable(const ModelSpec& spec, const Tuning& tuning)
{
    return tunedTable(parameterTable(spec), tuning);
}

std::vector<AdapterPlace> adapterPlaces(const Parameter& matrix)
{
    std::vector<AdapterPlace> places;
    std::int64_t row = 0;
    for (const auto& [projection, rows] : matrix.projections) {
        places.push_back({.projection = projection, .firstRow = row, .rows = rows});
        row += rows;
    }
    const auto joins = [&](std::initializer_list<Projection> parts) {
        return std::ranges::equal(matrix.projections, parts, {}, &ProjectionRows::projection);
    };
    using enum Projection;
    if (joins({Query, Key, Value}))
        places.push_back({.projection = QueryKeyValue, .rows = row});
    else if (joins({CrossKey, CrossValue}))
        places.push_back({.projection = KeyValue, .rows = row});
    else if (joins({Gate, Up}))
        places.push_back({.projection = GateUp, .rows = row});
    return places;
}

std::vector<FakeQuantizedRows> fakeQuantizedRows(const Parameter& matrix, const Tuning& tuning)
{
    const FakeQuantization& rounding = tuning.fakeQuantization;
    if (!roundsAnything(rounding) || matrix.projections.empty() || matrix.shape.size() != 2 ||
        matrix.shape.back() % groupSizeOf(rounding, matrix.shape.back()) != 0)
        return {};
    const auto layer = layerOf(matrix.name);
    const auto isRounded = [&](Projection projection) {
        return !rounding.adaptedLayers || isTarget(tuning, projection, layer);
    };
    std::vector<FakeQuantizedRows> rows;
    if (separateRows(matrix).empty()) {
        const std::vector<AdapterPlace> places = adapterPlaces(matrix);
        rows.push_back({.rows = matrix.shape.front(),
                        .isRounded = std::ranges::any_of(places, isRounded, &AdapterPlace::projection)});
    } else {
        for (const auto& [projection, count] : matrix.projections)
            rows.push_back({.rows = count, .isRounded = isRounded(projection)});
    }
    return std::ranges::any_of(rows, &FakeQuantizedRows::isRounded) ? rows : std::vector<FakeQuantizedRows>();
}

namespace {

/// Whether some rows of a matrix have both an adapter of their own and one that they share with others.
bool adaptsRowsTwice(const std::vector<Parameter>& table, const Tuning& tuning)
{
    return std::ranges::any_of(table, [&](const Parameter& matrix) {
        std::int64_t adapted = 0;
        for (const AdapterPlace& place : adapterPlaces(matrix)) {
            if (isTarget(tuning, place.projection, layerOf(matrix.name)))
                adapted += place.rows;
        }
        return adapted > 0 && adapted > matrix.shape.front();
    });
}

} // namespace

std::vector<Parameter> tunedTable(std::vector<Parameter> table, const Tuning& tuning)
{
    if (trainsAll(tuning))
        return table;
    return hasAdapters(tuning) ? adapted(table, tuning) : partlyTrained(std::move(table), tuning);
}

std::optional<std::string> problemWith(const ModelSpec& spec, const Tuning& tuning)
{
    if (auto problem = problemWith(tuning))
        return problem;
    if (auto problem = problemWithParameters(parameterTable(spec, tuning)))
        return problem;
    if (isUntuned(tuning))
        return std::nullopt;
    if (needsPython(spec))
        return std::nullopt;
    if (std::holds_alternative<ScriptSpec>(spec.architecture)) {
        return std::string("What is trained of a TorchScript file is what the file says; leave adapters, "
                           "frozen parts and fake quantization out.");
    }
    if (tuning.fakeQuantization.embeddings && !std::holds_alternative<DecoderSpec>(spec.architecture)) {
        return std::string("Embeddings are rounded in decoders alone; leave those of this network as they "
                           "are.");
    }
    if (hasAdapters(tuning) && adaptsRowsTwice(parameterTable(spec), tuning)) {
        return std::string("A projection has an adapter of its own and one for several together, such as "
                           "query_key_value; name either in the targets.");
    }
    if (parameterCounts(spec, tuning).trained > 0)
        return std::nullopt;
    return std::string("The network has none of the projections and parts that are to be trained; name some "
                       "that it has.");
}

std::int64_t parameterCount(const ModelSpec& spec)
{
    return parameterCounts(spec, {}).trained;
}

ParameterCounts parameterCounts(const ModelSpec& spec, const Tuning& tuning)
{
    return parameterCounts(parameterTable(spec, tuning));
}

ParameterCounts parameterCounts(const std::vector<Parameter>& table)
{
    ParameterCounts counts;
    for (const Parameter& parameter : table)
        (parameter.isTrained() ? counts.trained : counts.frozen) += parameter.elements();
    return counts;
}

} // namespace batchpeak::model
