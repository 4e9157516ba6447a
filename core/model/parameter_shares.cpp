// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "parameter_shares.h"

#include "tuning.h"

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace batchpeak::model {

namespace {

// The alignment in elements of the narrowest dtype.
constexpr std::int64_t parameterUnit = parameterAlignmentBytes / 2;
// A share ends at the end of a block of quantized moments (core/network/optimizers/optimizer_state.h).
constexpr std::int64_t shareUnit = 256;

std::int64_t roundedUp(std::int64_t count, std::int64_t unit)
{
    return (count + unit - 1) / unit * unit;
}

/// Returns the prefix "decoder.layers.3." of a parameter in a layer, also for the original of a copy; empty
/// outside of layers.
std::string_view layerPrefix(std::string_view name)
{
    constexpr std::string_view original = "original.";
    if (name.starts_with(original))
        name.remove_prefix(original.size());
    for (const std::string_view word : {"layers.", "blocks."}) {
        if (const auto layer = numberedLayer(name, word))
            return layer->prefix;
    }
    return {};
}

/// Rows of the table by unit: layers first, then single parameters.
struct Grouping
{
    std::vector<std::vector<std::size_t>> units;
    std::size_t layers = 0;
};

Grouping grouped(const std::vector<Parameter>& table)
{
    Grouping grouping;
    std::map<std::string_view, std::size_t> layers;
    std::vector<std::vector<std::size_t>> outside;
    for (std::size_t row = 0; row < table.size(); ++row) {
        const std::string_view prefix = layerPrefix(table[row].name);
        if (prefix.empty()) {
            outside.push_back({row});
            continue;
        }
        const auto [layer, isNew] = layers.try_emplace(prefix, grouping.units.size());
        if (isNew)
            grouping.units.emplace_back();
        grouping.units[layer->second].push_back(row);
    }
    grouping.layers = grouping.units.size();
    grouping.units.insert(grouping.units.end(), outside.begin(), outside.end());
    return grouping;
}

ParameterUnit unitOf(const std::vector<Parameter>& table, const std::vector<std::size_t>& rows,
                     std::int64_t devices)
{
    ParameterUnit unit;
    std::int64_t first = 0;
    const auto place = [&](UnitStretch& stretch, std::vector<ParameterUnit::Place>& places,
                           const auto& belongs) {
        stretch.first = first;
        for (const std::size_t row : rows) {
            if (!belongs(table[row]))
                continue;
            places.push_back({.row = row, .first = first});
            first += roundedUp(table[row].elements(), parameterUnit);
        }
        stretch.elements = first - stretch.first;
        stretch.share = shareOf(stretch.elements, devices);
    };
    place(unit.decaying, unit.trained,
          [](const Parameter& parameter) { return parameter.isTrained() && parameter.decays; });
    place(unit.undecayed, unit.trained,
          [](const Parameter& parameter) { return parameter.isTrained() && !parameter.decays; });
    first = 0;
    place(unit.frozenStretch, unit.frozen,
          [](const Parameter& parameter) { return parameter.role == ParameterRole::Frozen; });
    for (const std::size_t row : rows) {
        if (table[row].role == ParameterRole::Quantized)
            unit.quantized.push_back(row);
    }
    return unit;
}

/// Properties that layers must have in common to use the same memory alternately.
using Shapes = std::vector<std::tuple<std::vector<std::int64_t>, ParameterRole, bool>>;

Shapes shapesOf(const std::vector<Parameter>& table, const std::vector<std::size_t>& rows)
{
    Shapes shapes;
    for (const std::size_t row : rows)
        shapes.emplace_back(table[row].shape, table[row].role, table[row].decays);
    return shapes;
}

void placeShares(ParameterShares& shares)
{
    for (ParameterUnit& unit : shares.units) {
        unit.decaying.firstOfShare = shares.decayingShare;
        shares.decayingShare += unit.decaying.share;
        unit.frozenStretch.firstOfShare = shares.frozenShare;
        shares.frozenShare += unit.frozenStretch.share;
    }
    for (ParameterUnit& unit : shares.units) {
        unit.undecayed.firstOfShare = shares.trainedShare();
        shares.undecayedShare += unit.undecayed.share;
    }
}

void placeGathered(ParameterShares& shares)
{
    for (std::size_t i = 0; i < shares.units.size(); ++i) {
        ParameterUnit& unit = shares.units[i];
        if (unit.lender != i) {
            unit.gatheredFirst = shares.units[unit.lender].gatheredFirst;
            unit.frozenGatheredFirst = shares.units[unit.lender].frozenGatheredFirst;
            continue;
        }
        unit.gatheredFirst = shares.gathered;
        shares.gathered += unit.trainedElements();
        unit.frozenGatheredFirst = shares.frozenGathered;
        shares.frozenGathered += unit.frozenStretch.elements;
    }
}

} // namespace

Sharding sharingIn(Phase phase, const StepOptions& options)
{
    if (options.shards < 2)
        return Sharding::None;
    if (phase == Phase::Eval && options.sharding != Sharding::Parameters)
        return Sharding::None;
    return options.sharding;
}

bool updatesInBackward(Phase phase, const StepOptions& options)
{
    return phase == Phase::Train && options.updatesInBackward && sharingIn(phase, options) == Sharding::None;
}

std::int64_t shareOf(std::int64_t elements, std::int64_t devices)
{
    return roundedUp((elements + devices - 1) / devices, shareUnit);
}

std::int64_t ParameterShares::fullGradients() const
{
    std::int64_t largest = 0;
    std::int64_t outside = 0;
    for (std::size_t i = 0; i < units.size(); ++i) {
        if (i < layers)
            largest = std::max(largest, units[i].trainedElements());
        else
            outside += units[i].trainedElements();
    }
    return outside + (layers > 1 ? 2 : 1) * largest;
}

ParameterShares parameterShares(const std::vector<Parameter>& table, Sharding sharing, std::int64_t devices)
{
    constexpr std::size_t buffers = 2;
    const Grouping grouping = grouped(table);
    ParameterShares shares{.layers = grouping.layers};
    std::map<Shapes, std::vector<std::size_t>> kinds;
    for (std::size_t i = 0; i < grouping.units.size(); ++i) {
        ParameterUnit unit = unitOf(table, grouping.units[i], devices);
        unit.lender = i;
        if (sharing == Sharding::Parameters && i < grouping.layers) {
            std::vector<std::size_t>& alike = kinds[shapesOf(table, grouping.units[i])];
            alike.push_back(i);
            if (alike.size() > buffers)
                unit.lender = alike[(alike.size() - 1) % buffers];
        }
        shares.units.push_back(std::move(unit));
    }
    placeShares(shares);
    placeGathered(shares);
    return shares;
}

} // namespace batchpeak::model
