// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "named_network.h"

#include "checkpoint_weights.h"
#include "hub_models.h"
#include "network_overrides.h"
#include "syntax/words.h"
#include "unmodeled_features.h"

namespace batchpeak::config {

namespace {

/// Returns "path:line:column: sentence", the form of errors in files.
std::string located(const std::string& path, TextPosition place, std::string_view text)
{
    return place.line == 0 ? sentence("{}: {}", path, text)
                           : sentence("{}:{}:{}: {}", path, place.line, place.column, text);
}

/// \throws ConfigError if the file is no config
ConfigContents contentsOf(const NetworkFile& file, const std::optional<ConfigSection>& overrides)
{
    return recognize(overrides ? withOverrides(file.text, *overrides) : file.text)->readForPython();
}

/// Returns the network of a file, and adds what was read from the file to the config that names it.
model::ModelSpec taken(const NetworkFile& file, const ConfigContents& source, TextPosition position,
                       ConfigContents& contents)
{
    if (const auto* unsupported = std::get_if<UnsupportedModel>(&source.model)) {
        throw NotRun({.sentence = located(file.path, unsupported->position, unsupported->sentence),
                      .position = position,
                      .isElsewhere = unsupported->isElsewhere});
    }
    if (const auto& other = source.notRunHere; other && !contents.notRunHere)
        contents.notRunHere = {.sentence = located(file.path, other->position, other->sentence),
                               .position = position,
                               .reason = other->reason};
    contents.modelSource = file.path;
    contents.typeOfWeights = source.typeOfWeights;
    takeCheckpointWeights(source.tuning, contents.tuning);
    contents.places.network = inModelSource(source.places.network);
    // Warnings of a config with batches are about its own run, and do not apply to a run of only its network.
    for (const Warning& warning : source.isNetworkAlone() ? source.warnings : std::vector<Warning>()) {
        contents.warnings.push_back({.sentence = located(file.path, warning.position, warning.sentence),
                                     .approximation = warning.approximation});
    }
    return std::get<model::ModelSpec>(source.model);
}

} // namespace

model::ModelSpec readNamedNetwork(const NetworkName& name, TextPosition position,
                                  const NetworkSource& networks, ConfigContents& contents,
                                  const std::optional<ConfigSection>& overrides)
{
    NetworkLookup lookup = networks ? networks(name) : NetworkLookup{.name = name.name};
    contents.adapterOfModel = lookup.adapter;
    if (lookup.file) {
        try {
            return taken(*lookup.file, contentsOf(*lookup.file, overrides), position, contents);
        } catch (const ConfigError& error) {
            lookup.problem = located(lookup.file->path, error.position(), error.what());
        }
    }
    if (const auto match = findHubModel(lookup.name)) {
        if (!lookup.problem.empty())
            warn(contents.warnings, position, "{} The well-known network of this name is run.",
                 lookup.problem);
        takeCheckpointWeights({.frozenWeights = match->weights}, contents.tuning);
        if (match->weights != model::FrozenWeights::Same)
            warnOfQuantizedWeights(match->weights, lowerCase(lookup.name).find("-bnb-") != std::string::npos,
                                   position, lookup.name, contents.warnings);
        return namedNetwork(lookup.name, position, contents.warnings, overrides);
    }
    if (!lookup.problem.empty())
        throw networkElsewhere(position, "{}", lookup.problem);
    if (lookup.places.empty())
        return namedNetwork(lookup.name, position, contents.warnings, overrides);
    NotRun unknown =
        networkElsewhere(
            position,
            "The network is named \"{}\", of which no config.json is in {}, and which is not among the "
            "well-known ones; {}give its config.json with --model.",
            lookup.name, listedPlaces(lookup.places), lookup.isId ? "download it (--download once), or " : "")
            .because(reason::unknownId);
    if (lookup.isId) {
        unknown.why.missing = {.name = lookup.name,
                               .revision = lookup.name == name.name ? name.revision : std::string()};
    }
    throw unknown;
}

ConfigContents namedContents(const NetworkName& name, const NetworkSource& networks)
{
    ConfigContents contents;
    contents.model = networkOrError([&] { return readNamedNetwork(name, {}, networks, contents); });
    return contents;
}

} // namespace batchpeak::config
