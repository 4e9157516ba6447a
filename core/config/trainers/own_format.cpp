// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "batch_schemes.h"
#include "format.h"
#include "model/architecture_fields.h"
#include "model/model_spec.h"
#include "model/parameter_table.h"
#include "model/step_fields.h"
#include "run_reader.h"
#include "syntax/words.h"

#include <string>
#include <utility>
#include <vector>

namespace batchpeak::config {

/// Batchpeak's own layout, in which everything is explicit: "batchpeak: 1" at the top, the network under
/// "model", and the batches and the step beside it.
///
/// The micro-batch size of training is under micro_batch_size, that of evaluation under
/// eval_micro_batch_size; the default of eval_batch_size is batch_size. The keys of a network are those of
/// the trial protocol (core/model/architecture_fields.h); an absent key keeps the default of its member.
namespace {

constexpr std::string_view versionKey = "batchpeak";
constexpr std::int64_t version = 1;
constexpr std::string_view sequenceLengthKey = "sequence_length";

// The keys of a step are between these two lists (core/model/step_fields.h).
constexpr std::string_view firstKeys =
    "batchpeak model tuning batch_size micro_batch_size eval_batch_size eval_micro_batch_size devices "
    "sequence_length decoder_sequence_length precision optimizer";
constexpr std::string_view lastKeys =
    "learning_rate weight_by use_maximum_batch_size batch_increase_function";

constexpr PlaceKeys placeKeys{.network = "model",
                              .globalBatch = "batch_size",
                              .evalGlobalBatch = "eval_batch_size batch_size",
                              .devices = "devices",
                              .sequenceLength = sequenceLengthKey,
                              .precision = "precision",
                              .optimizer = "optimizer",
                              .checkpointing = "activation_checkpointing",
                              .lossChunks = "loss_chunk_rows",
                              .gradientNorm = "max_gradient_norm",
                              .attention = "attention"};

GlobalKeys keysOf(const ConfigSection& root, model::Phase phase)
{
    if (phase == model::Phase::Train)
        return {.devices = "devices"};
    return {.microBatchSize = "eval_micro_batch_size",
            .batchSize = root.has("eval_batch_size") ? "eval_batch_size" : "batch_size",
            .devices = "devices"};
}

/// Reads the members of a network whose keys are present in a section.
class SectionReader
{
public:
    /// \param known  keys that other code reads
    SectionReader(const ConfigSection& section, std::vector<std::string> known)
        : m_section(section), m_known(std::move(known))
    {}

    void value(const std::string& key, std::int64_t& member) { set(key, member, m_section.integer(key)); }
    void value(const std::string& key, double& member) { set(key, member, m_section.number(key)); }
    void value(const std::string& key, bool& member) { set(key, member, m_section.boolean(key)); }
    void value(const std::string& key, std::string& member) { set(key, member, m_section.text(key)); }

    template<typename Value>
    void word(const std::string& key, Value& member)
    {
        const auto text = m_section.text(key);
        const auto parsed = text ? model::fromText<Value>(*text) : std::nullopt;
        if (text && !parsed)
            m_section.fail(key, "is none of the words that it may be: \"{}\"", *text);
        set(key, member, parsed);
    }

    void sizes(const std::string& key, std::vector<std::int64_t>& member)
    {
        set(key, member, m_section.integers(key));
    }

    void texts(const std::string& key, std::vector<std::string>& member)
    {
        set(key, member, m_section.words(key));
    }

    template<typename Value>
    void list(const std::string& key, std::vector<Value>& member)
    {
        m_known.push_back(key);
        for (const ConfigSection& section : m_section.sections(key)) {
            SectionReader reader(section, {});
            visitFields(member.emplace_back(), reader);
            refuseOtherKeys(section, reader.known());
        }
    }

    const std::vector<std::string>& known() const { return m_known; }

private:
    template<typename Value>
    void set(const std::string& key, Value& member, std::optional<Value> found)
    {
        m_known.push_back(key);
        if (found)
            member = std::move(*found);
    }

    const ConfigSection& m_section;
    std::vector<std::string> m_known;
};

template<typename Value>
void readWord(const ConfigSection& section, std::string_view key, Value& member)
{
    const auto text = section.text(key);
    if (!text)
        return;
    const auto value = model::fromText<Value>(*text);
    if (!value) {
        std::string words;
        const auto& table = wordsOf(Value());
        for (std::size_t place = 0; place < table.size(); ++place) {
            const bool isLast = place + 1 == table.size();
            words += (place == 0 ? "" : isLast ? " and " : ", ") + std::string(table[place].second);
        }
        section.fail(key, "is \"{}\", which is none of {}", *text, words);
    }
    member = *value;
}

/// \throws ConfigError if the family is unknown, a key has no meaning for it, a value is of another kind, or
///         such a network cannot exist
model::ModelSpec readNetwork(const ConfigSection& section)
{
    const auto family = section.text("family");
    if (!family) {
        throw errorAt(section.positionOf("family"), "{} is missing; write which network it is, such as {}.",
                      section.pathOf("family"), model::familyWords());
    }
    auto architecture = model::architectureOf(*family);
    if (!architecture)
        section.fail("family", "is \"{}\", which is none of {}", *family, model::familyWords());

    model::ModelSpec spec{.family = *family, .architecture = std::move(*architecture)};
    if (model::needsPython(spec)) {
        throw errorAt(section.positionOf("family"),
                      "A network of transformers is described by its config.json; give that with --model.");
    }
    SectionReader reader(section, {"family"});
    std::visit([&reader](auto& members) { visitFields(members, reader); }, spec.architecture);
    refuseOtherKeys(section, reader.known());
    if (auto* decoder = std::get_if<model::DecoderSpec>(&spec.architecture);
        decoder && !section.find("key_value_heads"))
        decoder->keyValueHeads = decoder->heads;
    if (const auto problem = problemWith(spec))
        throw ConfigError(*problem, section.document().positionOf(section.mapping()));
    return spec;
}

/// \throws ConfigError if a key has no meaning, or the network cannot be trained so
model::Tuning readTuning(const ConfigSection& root, const model::ModelSpec& spec)
{
    constexpr std::string_view key = "tuning";
    const auto section = root.section(key);
    if (!section)
        return {};
    model::Tuning tuning;
    SectionReader reader(*section, {});
    visitFields(tuning, reader);
    refuseOtherKeys(*section, reader.known());
    if (const auto problem = problemWith(spec, tuning))
        throw ConfigError(*problem, root.positionOf(key));
    return tuning;
}

std::int64_t readBatch(const ConfigSection& root, model::Phase phase)
{
    return readGlobalBatchSize(root, readDevices(root, "devices"), keysOf(root, phase));
}

BatchPlan readPlan(const ConfigSection& root, model::Phase phase, std::vector<Warning>& warnings)
{
    const GlobalKeys keys = keysOf(root, phase);
    BatchPlan plan{.globalBatchSize = readBatch(root, phase),
                   .devices = readDevices(root, "devices"),
                   .microBatchKey = std::string(keys.microBatchSize),
                   .globalBatchKey = std::string(keys.batchSize)};
    plan.setting = readSetting(root, keys.microBatchSize, plan.globalBatchSize, warnings);
    warnOfUnevenDivision(plan, root.positionOf(keys.microBatchSize), warnings, keys);
    return plan;
}

std::optional<std::int64_t> readTargetLength(const ConfigSection& root, const model::ModelSpec& spec)
{
    constexpr std::string_view key = "decoder_sequence_length";
    const auto defaultLength = defaultTargetLength(spec);
    const auto length = readLength(root, key);
    if (length && !defaultLength) {
        root.fail(key,
                  "has no meaning for this network, whose decoder reads no sequence of its own; remove it");
    }
    return length ? length : defaultLength;
}

void readLengths(const ConfigSection& root, const model::ModelSpec& spec, ConfigContents& contents)
{
    if (root.has(sequenceLengthKey) && !takesSequences(spec))
        root.fail(sequenceLengthKey, "has no meaning for this network, which takes no sequences; remove it");
    contents.sequenceLength =
        readLength(root, sequenceLengthKey, longestSequence(spec), "lower it, or raise max_positions")
            .value_or(defaultSequenceLength(spec));
    contents.targetLength = readTargetLength(root, spec);
}

void readTrainingSettings(const ConfigSection& root, TrainingSettings& settings)
{
    constexpr std::string_view rateKey = "learning_rate";
    constexpr std::string_view weightKey = "weight_by";
    settings.usesMaximumBatchSize = root.boolean("use_maximum_batch_size").value_or(false);
    settings.batchIncreaseFunction = root.text("batch_increase_function").value_or("");
    settings.learningRate = root.number(rateKey);
    if (settings.learningRate && !(*settings.learningRate > 0))
        root.fail(rateKey, "must be above 0, as in 3.0e-4");
    const auto weight = root.text(weightKey);
    if (weight && *weight != "samples" && *weight != "tokens")
        root.fail(weightKey, "is \"{}\", which is none of samples and tokens", *weight);
    if (weight)
        settings.weighsTokens = *weight == "tokens";
}

void refuseAbove(std::int64_t max, const ConfigSection& root, std::string_view key, std::int64_t count)
{
    if (count > max)
        root.fail(key, "is {}, more than any run has; write at most {}", count, max);
}

void readStepField(const ConfigSection& root, const model::StepField& field, std::int64_t& member)
{
    member = root.integer(field.name).value_or(member);
    if (member < field.min)
        root.fail(field.name, "must be at least {}, which stands for {}", field.min, field.minStandsFor);
    refuseAbove(field.max, root, field.name, member);
}

void readStepField(const ConfigSection& root, const model::StepField& field, double& member)
{
    member = readGradientNorm(root, field.name, member);
}

void readStepField(const ConfigSection& root, const model::StepField& field, bool& member)
{
    member = root.boolean(field.name).value_or(member);
}

void readStepField(const ConfigSection& root, const model::StepField& field, model::HasWords auto& member)
{
    readWord(root, field.name, member);
}

void readRunInto(const ConfigSection& root, ConfigContents& contents)
{
    readWord(root, "precision", contents.precision);
    readWord(root, "optimizer", contents.optimizer);
    model::visitStepFields([&](const model::StepField& field, auto member) {
        if (field.inConfig != model::StepField::Written::Never)
            readStepField(root, field, contents.step.*member);
    });
    if (contents.step.updatesInBackward && contents.step.maxGradientNorm > 0) {
        root.fail("updates_in_backward",
                  "is true, but all gradients together are scaled (max_gradient_norm); "
                  "leave one of the two out");
    }
    readTrainingSettings(root, contents.training);
}

std::vector<std::string> knownKeys()
{
    std::vector<std::string> keys;
    const auto add = [&keys](std::string_view words) {
        for (const std::string_view word : splitWords(words))
            keys.emplace_back(word);
    };
    add(firstKeys);
    model::visitStepFields([&](const model::StepField& field, auto /*member*/) {
        if (field.inConfig != model::StepField::Written::Never)
            add(field.name);
    });
    add(lastKeys);
    return keys;
}

bool fits(const ConfigText& text)
{
    const auto root = text.root();
    return root && root->find(versionKey);
}

ConfigContents read(const ConfigText& text)
{
    const ConfigSection root = *text.root();
    if (root.integer(versionKey) != version) {
        root.fail(versionKey,
                  "is the version of this layout, of which only {} is known here; write that, or use a newer "
                  "Batchpeak",
                  version);
    }
    refuseOtherKeys(root, knownKeys());
    const auto section = root.section("model");
    if (!section) {
        throw errorAt(root.document().positionOf(root.mapping()),
                      "The config has no model; describe the network under this key.");
    }
    const model::ModelSpec spec = readNetwork(*section);
    ConfigContents contents{.model = spec, .tuning = readTuning(root, spec)};
    contents.train = readPlan(root, model::Phase::Train, contents.warnings);
    contents.eval = readPlan(root, model::Phase::Eval, contents.warnings);
    readLengths(root, spec, contents);
    readRunInto(root, contents);
    // Null counts as a size too.
    contents.places.train.microBatch = root.writtenPlaceOf("micro_batch_size");
    contents.places.eval.microBatch = root.writtenPlaceOf("eval_micro_batch_size");
    notePlaces(root, placeKeys, contents);
    warnOfBatchNormalization(spec, root.positionOf("model"), contents.warnings);
    return contents;
}

SplicedText splice(const ConfigText& text, const ChosenSize& chosen)
{
    const ConfigSection root = *text.root();
    const GlobalKeys keys = keysOf(root, chosen.phase);
    checkChosenSize(
        {.globalBatchSize = readBatch(root, chosen.phase), .devices = readDevices(root, "devices")}, chosen,
        root.positionOf(keys.batchSize));
    return withChanges(root, globalBatchChanges({}, keys, chosen));
}

} // namespace

constinit const Format ownFormat{.name = "Batchpeak",
                                 .mark = "batchpeak",
                                 .neededKeys = "batchpeak",
                                 .defaultKeys = "model.family batch_size micro_batch_size sequence_length",
                                 .rules = {.spreadsUnevenBatches = true},
                                 .fits = fits,
                                 .read = read,
                                 .splice = splice};

} // namespace batchpeak::config
