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

ConfigText::ConfigText(std::shared_ptr<const YamlDocument> document, NetworkSource networks, Launch launch)
    : m_text(document->text()),
      m_document(std::move(document)),
      m_networks(std::move(networks)),
      m_launch(std::move(launch))
{}

std::optional<ConfigSection> ConfigText::root(Dialect dialect) const
{
    return m_document ? ConfigSection::root(*m_document, dialect, &m_others) : std::nullopt;
}

const YamlDocument* ConfigText::otherFile(const std::string& path, TextPosition named) const
{
    const auto known = m_otherFiles.find(path);
    if (known != m_otherFiles.end())
        return known->second.get();
    std::shared_ptr<const YamlDocument> document;
    try {
        if (const auto file = m_networks.file(path)) {
            auto origin = std::make_shared<DocumentOrigin>();
            origin->named = named;
            document = std::make_shared<const YamlDocument>(file->text, std::move(origin));
        }
    } catch (const ConfigError&) {
        // What is no config is not read.
    }
    return m_otherFiles.emplace(path, std::move(document)).first->second.get();
}

namespace {

std::string readText(const std::optional<BatchPlan>& plan)
{
    if (!plan)
        return "nothing";
    const auto size = plan->writtenSize();
    return sentence("{} in a batch of {}{}", size ? std::to_string(*size) : toText(plan->setting),
                    plan->globalBatchSize,
                    plan->knowsDevices ? sentence(" on {} devices", plan->devices) : std::string());
}

const Format* formatOf(const ConfigText& text)
{
    const auto found =
        std::ranges::find_if(formats, [&](const Format* format) { return format->fits(text); });
    return found == formats.end() ? nullptr : *found;
}

bool saysSize(const ConfigDocument& document)
{
    const auto train = document.readForPython().train;
    return train && train->presentSize;
}

/// \throws ConfigError if two runs of one script have different batches
void requireSameBatch(const ConfigDocument& first, const ConfigDocument& second)
{
    const ConfigContents one = first.readForPython();
    const ConfigContents other = second.readForPython();
    if (one.train == other.train)
        return;
    const auto place = [](const ConfigContents& contents) {
        const BatchPlaces& batch = contents.places.train;
        for (const auto& known : {batch.microBatch, batch.globalBatch, batch.accumulationSteps,
                                  contents.places.devices, contents.places.sequenceLength}) {
            if (known)
                return known->position;
        }
        return TextPosition{.line = 1, .column = 1};
    };
    throw errorAt(place(other),
                  "The file holds several runs: one has its batch in line {}, with {}, and another in line "
                  "{}, with {}; "
                  "leave one of them in a copy of the file, and open the copy.",
                  place(one).line, readText(one.train), place(other).line, readText(other.train));
}

/// Returns the document in the format that the text, or the only part of it that is a config, fits.
/// \throws ConfigError if several parts differ in the batch, since a size is written for one run
std::unique_ptr<const ConfigDocument> documentOf(std::shared_ptr<const ConfigText> text)
{
    if (const Format* format = formatOf(*text))
        return std::make_unique<const ConfigDocument>(*format, std::move(text));
    std::unique_ptr<const ConfigDocument> found;
    for (std::shared_ptr<const ConfigText> part : partsOf(*text)) {
        const Format* format = formatOf(*part);
        if (!format)
            continue;
        // What the program makes of the devices is not known.
        if (format == &deepSpeedFormat)
            part = std::make_shared<const ConfigText>(part->document(), part->networks());
        auto document = std::make_unique<const ConfigDocument>(*format, part);
        // A file of DeepSpeed that a script writes says nothing if the numbers come from the trainer's
        // options.
        if (format == &deepSpeedFormat && !saysSize(*document))
            continue;
        if (!found)
            found = std::move(document);
        else if (document->name() == found->name())
            requireSameBatch(*found, *document);
    }
    if (!found)
        throw unreadable(*text);
    return found;
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

/// Returns the plan of all processes that a script starts, if the config leaves their number open.
BatchPlan launchedPlan(BatchPlan plan, const Launch& launch)
{
    plan.isOverAllDevices = plan.isOverAllDevices || launch.dividesBatch;
    if (plan.knowsDevices || !launch.processes)
        return plan;
    if (!plan.isOverAllDevices && plan.globalBatchSize <= maxSamples / *launch.processes)
        plan.globalBatchSize *= *launch.processes;
    plan.isOverAllDevices = true;
    plan.devices = *launch.processes;
    plan.knowsDevices = true;
    // A size above a device's share is lowered to it, by every trainer that takes one.
    if (plan.presentSize)
        plan.presentSize = std::min(*plan.presentSize, std::max<std::int64_t>(plan.perDeviceBatch(), 1));
    return plan;
}

void takeLaunch(const Launch& launch, ConfigContents& contents)
{
    for (auto* plan : {&contents.train, &contents.eval}) {
        if (!*plan)
            continue;
        const bool wasOpen = !(*plan)->knowsDevices;
        *plan = launchedPlan(**plan, launch);
        if (wasOpen && (*plan)->knowsDevices)
            contents.places.devices = launch.place;
    }
    contents.warnings.insert(contents.warnings.end(), launch.warnings.begin(), launch.warnings.end());
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

namespace {

/// \throws ConfigError that says why a value is open, in place of one that says what it must be
ConfigContents readText(const Format& format, const ConfigText& text)
{
    if (text.launch().cutSize)
        throw *text.launch().cutSize;
    try {
        return format.read(text);
    } catch (const ConfigError& error) {
        for (const auto& [position, reason] : text.launch().open) {
            if (position == error.position())
                throw reason;
        }
        throw;
    }
}

} // namespace

ConfigContents ConfigDocument::readForPython() const
{
    ConfigContents contents = readText(m_format, *m_text);
    takeLaunch(m_text->launch(), contents);
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
    if (const auto* unsupported = std::get_if<UnsupportedModel>(&contents.model);
        unsupported && unsupported->missing) {
        why.sentence += " Your own Python may run it (--with python). " + unsupported->sentence;
        why.missing = unsupported->missing;
    }
    contents.model = std::move(why);
    contents.tuning = {};
    contents.step.preference = model::Preference::None;
    // The length of a config that only describes a network belongs to that network.
    if (contents.isNetworkAlone())
        contents.sequenceLength = 0;
    return contents;
}

namespace {

/// Returns the chosen size as a config counts it that knows nothing of the script that starts it.
/// \param plan  plan that the config alone has
ChosenSize chosenOfConfig(ChosenSize chosen, const std::optional<BatchPlan>& plan, const Launch& launch)
{
    const bool isShared = plan && !plan->knowsDevices && !plan->isOverAllDevices && !launch.dividesBatch;
    if (!isShared || !chosen.globalBatchSize || !launch.processes)
        return chosen;
    if (*chosen.globalBatchSize % *launch.processes != 0) {
        throw errorAt(
            {}, "A batch of {} is no multiple of the {} processes that the script starts; choose another.",
            *chosen.globalBatchSize, *launch.processes);
    }
    chosen.globalBatchSize = *chosen.globalBatchSize / *launch.processes;
    return chosen;
}

} // namespace

SplicedText ConfigDocument::withMicroBatchSize(const ChosenSize& chosen) const
{
    const auto before = read().plan(chosen.phase);
    SplicedText spliced;
    try {
        const ConfigContents alone = m_format.read(*m_text);
        // Of a batch that a script shares out, no device takes more than its share.
        const auto& open = alone.plan(chosen.phase);
        const bool isShared = open && open->isOverAllDevices && !open->knowsDevices && before->knowsDevices;
        if (isShared && !chosen.globalBatchSize && chosen.microBatchSize > before->perDeviceBatch())
            throw BatchNotKept(*before, chosen, {});
        spliced =
            m_format.splice(*m_text, chosenOfConfig(chosen, alone.plan(chosen.phase), m_text->launch()));
    } catch (const BatchNotKept& notKept) {
        // The batches to choose from are those of all processes.
        if (!before || m_text->launch().words.empty())
            throw;
        throw BatchNotKept(*before, chosen, notKept.position());
    }
    const auto text = spliced.document
                          ? std::make_shared<const ConfigText>(spliced.document, m_text->networks())
                          : std::make_shared<const ConfigText>(spliced.text, m_text->networks());
    const auto after = documentOf(text)->read().plan(chosen.phase);
    if (before && after && before->isOverAllDevices && !after->isOverAllDevices) {
        throw errorAt({},
                      "The script calculates the batch with the number of devices, and a number in place of "
                      "the calculation would not follow them; set the size by hand.");
    }
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
