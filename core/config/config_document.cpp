// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_document.h"

#include "approximations.h"
#include "format.h"
#include "model/parameter_table.h"
#include "model/spec_checks.h"
#include "networks/checkpoint_weights.h"
#include "run_reader.h"
#include "syntax/text_check.h"
#include "syntax/words.h"
#include "syntax/yaml_edit.h"
#include "unmodeled_features.h"

#include <algorithm>
#include <charconv>

namespace batchpeak::config {

ConfigText::ConfigText(std::string text, NetworkSource networks)
    : m_text(std::move(text)), m_networks(std::move(networks))
{
    if (const auto problem = problemWithText(m_text))
        throw ConfigError(problem->sentence, positionIn(m_text, problem->byte));
    try {
        m_document = std::make_shared<const YamlDocument>(m_text);
    } catch (const ConfigError& error) {
        m_problem = error;
    }
}

ConfigText::ConfigText(std::shared_ptr<const YamlDocument> document, NetworkSource networks)
    : m_text(document->text()), m_document(std::move(document)), m_networks(std::move(networks))
{}

std::optional<ConfigSection> ConfigText::root(Dialect dialect) const
{
    return m_document ? ConfigSection::root(*m_document, dialect) : std::nullopt;
}

namespace {

std::string readText(const std::optional<BatchPlan>& plan)
{
    if (!plan)
        return "nothing";
    const auto size = plan->writtenSize();
    return sentence("{} in a batch of {}", size ? std::to_string(*size) : toText(plan->setting),
                    plan->globalBatchSize);
}

/// Returns the part of a path up to and including the first missing key: "model.x" of "model.x.y". Returns
/// nothing if the whole path exists.
std::optional<std::string_view> missingPart(const ConfigSection& section, std::string_view path)
{
    const std::size_t dot = path.find('.');
    if (section.find(path))
        return std::nullopt;
    if (dot == std::string_view::npos)
        return path;
    const std::string_view first = path.substr(0, dot);
    if (!section.hasSection(first))
        return section.find(first) ? path : first;
    const auto missing = missingPart(section.sectionIfAny(first), path.substr(dot + 1));
    return missing ? std::optional(path.substr(0, dot + 1 + missing->size())) : std::nullopt;
}

std::size_t keysThere(const Format& format, const ConfigSection& root)
{
    return static_cast<std::size_t>(std::ranges::count_if(
        splitWords(format.defaultKeys), [&root](std::string_view path) { return !missingPart(root, path); }));
}

/// Returns which keys of the format a text lacks: "; no `model._component_`, no `dataset` or `optimizer`".
/// Empty if it has all of them.
std::string missingText(const Format& format, const ConfigSection& root)
{
    std::string text;
    for (std::string_view oneOf : splitWords(format.neededKeys)) {
        std::string names;
        bool isThere = false;
        while (!oneOf.empty()) {
            const std::string_view path = oneOf.substr(0, oneOf.find('|'));
            oneOf.remove_prefix(std::min(path.size() + 1, oneOf.size()));
            const auto missing = missingPart(root, path);
            isThere = isThere || !missing;
            names += sentence(names.empty() ? "`{}`" : " or `{}`", missing.value_or(path));
        }
        if (!isThere)
            text += sentence(text.empty() ? "; no {}" : ", no {}", names);
    }
    return text;
}

/// Returns the closest format: "closest: torchtune; no `dataset` or `optimizer`".
std::string closestText(const ConfigText& text)
{
    const auto root = text.root();
    std::size_t max = 0;
    const Format* closest = nullptr;
    for (const Format* format : formats) {
        const std::size_t there = root ? keysThere(*format, *root) : 0;
        if (there > max) {
            max = there;
            closest = format;
        }
    }
    if (!closest)
        return "no key of any format";
    return sentence("closest: {}{}", closest->name, missingText(*closest, *root));
}

[[noreturn]] void refuse(const ConfigText& text)
{
    if (text.problem())
        throw *text.problem();
    throw errorAt({}, "Unrecognized config ({}). See `batchpeak formats`.", closestText(text));
}

/// Returns the document in the format that the text fits.
std::unique_ptr<const ConfigDocument> documentOf(std::shared_ptr<const ConfigText> text)
{
    const auto found =
        std::ranges::find_if(formats, [&](const Format* format) { return format->fits(*text); });
    if (found == formats.end())
        refuse(*text);
    return std::make_unique<const ConfigDocument>(**found, std::move(text));
}

} // namespace

std::string_view ConfigDocument::name() const
{
    return m_format.name;
}

namespace {

/// Removes the places of values that have no effect, since nobody needs them.
void dropIdlePlaces(ConfigContents& contents)
{
    SourceLocations& places = contents.places;
    if (!contents.train)
        places.train = {};
    if (!contents.eval)
        places.eval = {};
    const auto& plan = contents.train ? contents.train : contents.eval;
    if (!plan || !plan->knowsDevices)
        places.devices.reset();
    const auto* spec = std::get_if<model::ModelSpec>(&contents.model);
    if (spec && !model::takesSequences(*spec))
        places.sequenceLength.reset();
}

/// Numbers above the limits are typos or hostile. With them refused, sums and products need no overflow
/// checks.
void checkLimits(const BatchPlan& plan, const BatchPlaces& places,
                 const std::optional<SourceLocation>& devices)
{
    const auto require = [](std::int64_t number, std::int64_t max, std::string_view key,
                            const std::optional<SourceLocation>& place) {
        if (number > max)
            throw errorAt(place ? place->position : TextPosition{},
                          "The value {} of {} is out of range; the maximum is {}.", number, key, max);
    };
    require(plan.globalBatchSize, maxSamples, plan.globalBatchKey,
            places.globalBatch ? places.globalBatch : places.accumulationSteps);
    require(plan.devices, model::maxDevices,
            devices ? std::string_view(devices->key) : "the number of devices", devices);
    if (const auto size = plan.writtenSize())
        require(*size, maxSamples, plan.microBatchKey, places.microBatch);
    if (const auto* explore = std::get_if<Explore>(&plan.setting)) {
        for (const auto& bound : {explore->minimum, explore->maximum})
            require(bound.value_or(1), maxSamples, plan.microBatchKey, places.microBatch);
    }
}

/// Checks the network together with what is trained of it. A network from a library is counted when it is
/// loaded.
void checkLimits(const ConfigContents& contents)
{
    const auto* spec = std::get_if<model::ModelSpec>(&contents.model);
    if (!spec)
        return;
    const auto problem = model::problemWithParameters(parameterTable(*spec, contents.tuning));
    if (problem)
        throw ConfigError(*problem,
                          contents.places.network ? contents.places.network->position : TextPosition());
}

} // namespace

ConfigContents ConfigDocument::read() const
{
    return asRunHere(readForPython());
}

ConfigContents ConfigDocument::readForPython() const
{
    ConfigContents contents = m_format.read(*m_text);
    if (contents.train)
        checkLimits(*contents.train, contents.places.train, contents.places.devices);
    if (contents.eval)
        checkLimits(*contents.eval, contents.places.eval, contents.places.devices);
    checkLimits(contents);
    dropIdlePlaces(contents);
    contents.formatName = m_format.name;
    contents.rules = m_format.rules;
    return contents;
}

ConfigContents asPythonRuns(ConfigContents contents)
{
    const auto isCompiled = [](const Warning& warning) {
        return warning.approximation == approximation::compiled;
    };
    const bool compiles = std::ranges::any_of(contents.warnings, isCompiled);
    std::erase_if(contents.warnings, [](const Warning& warning) {
        return approximation::traitsOf(warning.approximation).isOfWorkerAlone;
    });
    if (compiles && contents.step.compilation == model::Compilation::None)
        contents.step.compilation = model::Compilation::Default;
    if (contents.hasOwnModules && std::holds_alternative<model::ModelSpec>(contents.model)) {
        warnOfApproximation(
            contents.warnings, {}, approximation::otherModules,
            "Your Python computes the network by modules of transformers, where {} has its own; "
            "these may take another time and other memory.",
            contents.formatName);
    }
    return contents;
}

ConfigContents asRunHere(ConfigContents contents)
{
    contents.step.compilation = model::Compilation::None;
    if (!contents.notRunHere)
        return contents;
    UnsupportedModel why = *std::exchange(contents.notRunHere, std::nullopt);
    if (std::holds_alternative<model::ModelSpec>(contents.model))
        why.sentence += " Your own Python may run it: measure with that (--with python).";
    contents.model = std::move(why);
    contents.tuning = {};
    contents.step.preference = model::Preference::None;
    // The length of a config that only describes a network belongs to that network.
    if (contents.isNetworkAlone())
        contents.sequenceLength = 0;
    return contents;
}

SplicedText ConfigDocument::withMicroBatchSize(const ChosenSize& chosen) const
{
    SplicedText spliced = m_format.splice(*m_text, chosen);
    const auto before = read().plan(chosen.phase);
    const auto text = spliced.document
                          ? std::make_shared<const ConfigText>(spliced.document, m_text->networks())
                          : std::make_shared<const ConfigText>(spliced.text, m_text->networks());
    const auto after = documentOf(text)->read().plan(chosen.phase);
    const bool isSize = after && after->writtenSize() == chosen.microBatchSize;
    const std::int64_t batch = chosen.globalBatchSize.value_or(before ? before->globalBatchSize : 0);
    // Evaluation does not accumulate: in most configs its batch is its micro-batch.
    const bool isBatch = after && (chosen.phase == model::Phase::Eval || after->globalBatchSize == batch);
    if (!isSize || !isBatch) {
        throw errorAt({}, "The size {} would be read back as {}; set it by hand.", chosen.microBatchSize,
                      readText(after));
    }
    if (m_text->document() && spliced.document)
        requireSecondReading(*m_text->document(), *spliced.document);
    return spliced;
}

std::unique_ptr<const ConfigDocument> recognize(std::string text, NetworkSource networks)
{
    return documentOf(std::make_shared<const ConfigText>(std::move(text), std::move(networks)));
}

namespace {

/// Returns why a network is not run, without the advice.
std::string firstSentence(const std::string& text)
{
    const std::size_t end = text.find(". ");
    return end == std::string::npos ? text : text.substr(0, end + 1);
}

/// Sets what is trained of the chosen network: the config's own choice, by the names of the network's
/// modules.
void retune(ConfigContents& contents, const model::ModelSpec& spec)
{
    if (!contents.tuningFor)
        return;
    try {
        contents.tuning = contents.tuningFor(spec, contents.warnings);
    } catch (const NotRun& notRun) {
        contents.tuning = {};
        warnOfApproximation(contents.warnings, notRun.why.position, approximation::fullTraining,
                            "{} All of the chosen network is trained in its place.",
                            firstSentence(notRun.why.sentence));
    }
}

} // namespace

ConfigContents withModelOf(ConfigContents contents, const ConfigContents& source)
{
    const auto* spec = std::get_if<model::ModelSpec>(&source.model);
    if (!spec)
        throw ConfigError(std::get<UnsupportedModel>(source.model).sentence,
                          std::get<UnsupportedModel>(source.model).position);

    const auto* own = std::get_if<UnsupportedModel>(&contents.model);
    // A network that the config only names is completed by the file, which does not make it another run.
    if (own ? !own->isElsewhere : std::get<model::ModelSpec>(contents.model) != *spec)
        contents.replaced.emplace_back("another network");
    if (own && !own->isElsewhere)
        contents.warnings.push_back(
            {firstSentence(own->sentence) + " The chosen network runs in its place.", own->position});
    contents.model = *spec;
    retune(contents, *spec);
    // The data that the run learns from stay the config's own.
    if (source.notRunHere || contents.step.preference == model::Preference::None)
        contents.notRunHere = source.notRunHere;
    contents.adapterOfModel = source.adapterOfModel;
    takeCheckpointWeights(source.tuning, contents.tuning);
    contents.places.network = inModelSource(source.places.network);
    warnOfBatchNormalization(*spec, {}, contents.warnings);
    if (contents.sequenceLength < 1 || !model::takesSequences(*spec)) {
        contents.sequenceLength =
            source.sequenceLength > 0 ? source.sequenceLength : model::defaultSequenceLength(*spec);
        contents.places.sequenceLength = inModelSource(source.places.sequenceLength);
        contents.targetLength = source.targetLength;
    }
    if (!contents.targetLength)
        contents.targetLength = model::defaultTargetLength(*spec);
    const auto longest = model::longestSequence(*spec);
    if (longest && contents.sequenceLength > *longest) {
        warn(contents.warnings, {},
             "The config trains on sequences of {} tokens, but the network has {} positions; shorten them "
             "with "
             "--sequence-length, or choose another network.",
             contents.sequenceLength, *longest);
    }
    return contents;
}

Setting settingFromText(std::string_view text)
{
    if (text == "explore")
        return Explore{};
    if (text == "auto")
        return Auto{};
    if (text == "null" || text == "none" || text == "None")
        return Whole{};
    std::int64_t size = 0;
    const char* end = text.data() + text.size();
    const auto [parsed, error] = std::from_chars(text.data(), end, size);
    if (text.empty() || parsed != end || error != std::errc() || size < 1) {
        throw errorAt(
            {}, "The setting \"{}\" is unknown; use explore, auto, null or a whole number of at least 1.",
            text);
    }
    return Fixed{size};
}

} // namespace batchpeak::config
