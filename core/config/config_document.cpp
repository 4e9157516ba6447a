// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_document.h"

#include "format.h"
#include "run_reader.h"
#include "syntax/text_check.h"
#include "syntax/words.h"
#include "syntax/yaml_edit.h"

#include <algorithm>
#include <charconv>

namespace batchpeak::config {

ConfigText::ConfigText(std::string text) : m_text(std::move(text))
{
    if (const auto problem = problemWithText(m_text))
        throw ConfigError(problem->sentence, positionIn(m_text, problem->byte));
    try {
        m_document = std::make_shared<const YamlDocument>(m_text);
    } catch (const ConfigError& error) {
        m_problem = error;
    }
}

ConfigText::ConfigText(std::shared_ptr<const YamlDocument> document)
    : m_text(document->text()), m_document(std::move(document))
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

bool hasPath(const ConfigSection& section, std::string_view path)
{
    const std::size_t dot = path.find('.');
    if (dot == std::string_view::npos || section.find(path))
        return section.find(path).has_value();
    return hasPath(section.sectionIfAny(path.substr(0, dot)), path.substr(dot + 1));
}

std::vector<std::string_view> keysThere(const Format& format, const ConfigText& text)
{
    const auto root = text.root();
    std::vector<std::string_view> there = splitWords(format.usualKeys);
    std::erase_if(there, [&](std::string_view path) { return !root || !hasPath(*root, path); });
    return there;
}

std::string nearestTo(const ConfigText& text)
{
    std::vector<std::string_view> most;
    const Format* nearest = nullptr;
    for (const Format* format : formats) {
        auto there = keysThere(*format, text);
        if (there.size() > most.size()) {
            most = std::move(there);
            nearest = format;
        }
    }
    if (!nearest)
        return "None of their keys is in it.";
    return sentence("The nearest is {}, of which it has {}.", nearest->name, listed(most));
}

[[noreturn]] void refuse(const ConfigText& text)
{
    if (text.problem())
        throw *text.problem();
    std::string marks;
    for (const Format* format : formats)
        marks += sentence(marks.empty() ? "{} ({})" : "; {} ({})", format->mark, format->name);
    throw errorAt(
        {}, "The text is no config of a known format. {} Looked for were: {}. Open a config of one of these.",
        nearestTo(text), marks);
}

/// In the format that the text fits.
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

/// What the config says that does not count is of no use to anybody.
void dropIdlePlaces(ConfigContents& contents)
{
    ValuePlaces& places = contents.places;
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

} // namespace

ConfigContents ConfigDocument::read() const
{
    ConfigContents contents = m_format.read(*m_text);
    dropIdlePlaces(contents);
    contents.formatName = m_format.name;
    contents.rules = m_format.rules;
    return contents;
}

SplicedText ConfigDocument::withMicroBatchSize(const ChosenSize& chosen) const
{
    SplicedText spliced = m_format.splice(*m_text, chosen);
    const auto before = read().plan(chosen.phase);
    const auto text = spliced.document ? std::make_shared<const ConfigText>(spliced.document)
                                       : std::make_shared<const ConfigText>(spliced.text);
    const auto after = documentOf(text)->read().plan(chosen.phase);
    const bool isSize = after && after->writtenSize() == chosen.microBatchSize;
    const std::int64_t batch = chosen.globalBatchSize.value_or(before ? before->globalBatchSize : 0);
    // Evaluation accumulates nothing: its batch is its micro-batch in most configs.
    const bool isBatch = after && (chosen.phase == model::Phase::Eval || after->globalBatchSize == batch);
    if (!isSize || !isBatch) {
        throw errorAt({}, "The size {} would be read as {} from where this config has it; set it by hand.",
                      chosen.microBatchSize, readText(after));
    }
    if (m_text->document() && spliced.document)
        requireSecondReading(*m_text->document(), *spliced.document);
    return spliced;
}

std::unique_ptr<const ConfigDocument> recognise(std::string text)
{
    return documentOf(std::make_shared<const ConfigText>(std::move(text)));
}

namespace {

std::optional<ValuePlace> inModelSource(std::optional<ValuePlace> place)
{
    if (place)
        place->isInModelSource = true;
    return place;
}

} // namespace

ConfigContents withModelOf(ConfigContents contents, const ConfigContents& source)
{
    const auto* spec = std::get_if<model::ModelSpec>(&source.model);
    if (!spec)
        throw ConfigError(std::get<UnsupportedModel>(source.model).sentence,
                          std::get<UnsupportedModel>(source.model).position);

    const auto* own = std::get_if<UnsupportedModel>(&contents.model);
    if (own && !own->isElsewhere)
        contents.warnings.push_back(
            {own->sentence + " The network that was chosen is run in its place.", own->position});
    contents.model = *spec;
    contents.places.network = inModelSource(source.places.network);
    warnOfBatchNormalization(*spec, {}, contents.warnings);
    if (contents.sequenceLength < 1 || !model::takesSequences(*spec)) {
        contents.sequenceLength =
            source.sequenceLength > 0 ? source.sequenceLength : model::usualSequenceLength(*spec);
        contents.places.sequenceLength = inModelSource(source.places.sequenceLength);
        contents.targetLength = source.targetLength;
    }
    if (!contents.targetLength)
        contents.targetLength = model::usualTargetLength(*spec);
    const auto longest = model::longestSequence(*spec);
    if (longest && contents.sequenceLength > *longest) {
        warn(contents.warnings, {},
             "The config trains on sequences of {} tokens, but the network has learned {} positions; shorten "
             "the sequences (--sequence-length), or choose another network.",
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
        throw errorAt({},
                      "The setting \"{}\" is none of explore, auto, null and a whole number of at least 1; "
                      "give one of these.",
                      text);
    }
    return Fixed{size};
}

} // namespace batchpeak::config
