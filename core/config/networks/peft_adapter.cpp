// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "peft_adapter.h"

#include "approximations.h"
#include "model/parameter_table.h"
#include "module_names.h"
#include "name_pattern.h"
#include "network_readers.h"
#include "syntax/words.h"
#include "trained_parts.h"
#include "unmodeled_features.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>

namespace batchpeak::config {

using model::ModelSpec;
using model::Projection;

namespace {

// INCLUDE_LINEAR_LAYERS_SHORTHAND of PEFT.
constexpr std::string_view allLinear = "all-linear";
constexpr std::string_view headName = "lm_head";

/// Whether each layer of a module, or a module outside of layers, is selected. Layers before the first that
/// has the module are never selected.
using ChosenLayers = std::vector<bool>;

ChosenLayers noneOf(const NamedModule& module)
{
    return ChosenLayers(static_cast<std::size_t>(std::max<std::int64_t>(1, module.layers)));
}

ChosenLayers allOf(const NamedModule& module)
{
    ChosenLayers layers = noneOf(module);
    std::fill(layers.begin() + module.firstLayer, layers.end(), true);
    return layers;
}

bool isAny(const ChosenLayers& layers)
{
    return std::ranges::find(layers, true) != layers.end();
}

void add(ChosenLayers& layers, const ChosenLayers& others)
{
    for (std::size_t i = 0; i < layers.size(); ++i)
        layers[i] = layers[i] || others[i];
}

void remove(ChosenLayers& layers, const ChosenLayers& others)
{
    for (std::size_t i = 0; i < layers.size(); ++i)
        layers[i] = layers[i] && !others[i];
}

/// Splits the number off the end of a text, and returns it with the text before it; nothing if there is none.
std::optional<std::pair<std::string_view, std::size_t>> splitNumber(std::string_view text)
{
    std::size_t begin = text.size();
    while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9')
        --begin;
    const std::string_view digits = text.substr(begin);
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool isWritten = error == std::errc() && (digits == "0" || !digits.starts_with('0'));
    return isWritten ? std::optional(std::pair(text.substr(0, begin), number)) : std::nullopt;
}

/// Whether \p end is the whole name, or its end after a dot.
bool isEndOf(std::string_view name, std::string_view end)
{
    return name == end ||
           (name.size() > end.size() && name.ends_with(end) && name[name.size() - end.size() - 1] == '.');
}

/// Returns the layers of a module whose names have that end: all if it contains no layer number, else at most
/// one.
ChosenLayers layersEndingIn(const NamedModule& module, std::string_view end)
{
    const std::string_view name = module.name;
    const std::size_t mark = name.find(layerMark);
    if (mark == std::string_view::npos)
        return isEndOf(name, end) ? allOf(module) : noneOf(module);
    const std::string_view tail = name.substr(mark + layerMark.size());
    if (tail.size() > end.size() && isEndOf(tail, end))
        return allOf(module);
    ChosenLayers layers = noneOf(module);
    if (!end.ends_with(tail))
        return layers;
    const auto numbered = splitNumber(end.substr(0, end.size() - tail.size()));
    if (numbered && numbered->second < layers.size() &&
        std::cmp_greater_equal(numbered->second, module.firstLayer)) {
        const std::string_view head = name.substr(0, mark);
        const std::string_view before = numbered->first;
        layers[numbered->second] = before.empty() || head == before ||
                                   (head.size() > before.size() && head.ends_with(before) &&
                                    head[head.size() - before.size() - 1] == '.');
    }
    return layers;
}

template<typename Matches>
ChosenLayers layersWhere(const NamedModule& module, const Matches& matches)
{
    ChosenLayers layers = noneOf(module);
    for (auto layer = static_cast<std::size_t>(module.firstLayer); layer < layers.size(); ++layer)
        layers[layer] = matches(nameOfLayer(module.name, static_cast<std::int64_t>(layer)));
    return layers;
}

/// Selects the modules of a network that an adapter targets.
class ModuleMatcher
{
public:
    ModuleMatcher(const PeftAdapter& adapter, const ModelSpec& spec)
        : m_adapter(adapter), m_spec(spec), m_modules(modulesOf(spec))
    {
        std::vector<std::string> saved;
        for (const std::string& name : adapter.modulesToSave)
            saved.push_back("(^|.*\\.)" + name + "($|\\..*)");
        m_saved = patternsOf(saved);
        std::vector<std::string> heads;
        for (const std::string& pattern : adapter.layersPatterns)
            heads.push_back(".*\\." + pattern);
        m_layersPatterns = patternsOf(heads);
    }

    const std::vector<NamedModule>& modules() const { return m_modules; }

    /// Returns the layers that are targets and not excluded.
    ChosenLayers layersOf(const NamedModule& module)
    {
        ChosenLayers layers = targeted(module);
        if (!isAny(layers))
            return layers;
        remove(layers, chosen(m_adapter.excluded, module));
        for (const NamePattern& saved : m_saved) {
            remove(layers, layersWhere(module, [&](const std::string& name) {
                       return saved.matchesStart(name, m_effort);
                   }));
        }
        return layers;
    }

    /// Whether the config itself selects the module, by a name or a pattern.
    bool isNamed(const NamedModule& module) { return isAny(chosen(m_adapter.targets, module)); }

private:
    ChosenLayers targeted(const NamedModule& module)
    {
        const auto* pattern = std::get_if<std::string>(&m_adapter.targets);
        const bool isPattern = pattern && !m_adapter.targetsLinearNames;
        if (isPattern && lowerCase(*pattern) != allLinear)
            return chosen(m_adapter.targets, module);
        ChosenLayers layers = noneOf(module);
        if (isPattern) {
            if (isAmongAllLinear(module))
                layers = allOf(module);
        } else {
            addEndingIn(layers, module, targetNames());
        }
        return inChosenLayers(module, std::move(layers));
    }

    /// Whether the module is one of all linear layers, which exclude the one that get_output_embeddings() of
    /// the network returns; for images it returns none.
    bool isAmongAllLinear(const NamedModule& module) const
    {
        const bool isHead = module.projection == Projection::Output &&
                            !std::holds_alternative<model::VisionTransformerSpec>(m_spec.architecture);
        return module.isLinear() && !isHead;
    }

    const std::vector<std::string>& targetNames()
    {
        if (m_hasNames)
            return m_names;
        m_hasNames = true;
        if (const auto* names = std::get_if<std::vector<std::string>>(&m_adapter.targets))
            m_names = *names;
        else if (const auto* name = std::get_if<std::string>(&m_adapter.targets))
            m_names = {*name};
        else if (!m_adapter.targetsLinearNames)
            m_names = defaultNames();
        if (m_adapter.targetsLinearNames)
            addLinearNames();
        return m_names;
    }

    std::vector<std::string> defaultNames() const
    {
        const auto words = defaultTargets(m_spec);
        if (!words) {
            throw errorAt(m_adapter.place.position,
                          "{} names no modules, and PEFT has no usual ones for the network {}; write some.",
                          m_adapter.place.path, m_spec.family);
        }
        const auto names = splitWords(*words);
        return {names.begin(), names.end()};
    }

    void addLinearNames()
    {
        for (const NamedModule& module : m_modules) {
            const bool isMeant = module.kind == ModuleKind::Linear ||
                                 (module.kind == ModuleKind::Conv1d && m_adapter.takesConv1d);
            std::string last = module.name.substr(module.name.rfind('.') + 1);
            if (isMeant && module.name.find(headName) == std::string::npos &&
                std::ranges::find(m_names, last) == m_names.end())
                m_names.push_back(std::move(last));
        }
    }

    ChosenLayers chosen(const ModuleChoice& choice, const NamedModule& module)
    {
        if (const auto* pattern = std::get_if<std::string>(&choice)) {
            auto& compiled = m_patterns[&choice == &m_adapter.excluded ? 1 : 0];
            if (!compiled)
                compiled = std::make_unique<NamePattern>(*pattern);
            return layersWhere(module,
                               [&](const std::string& name) { return compiled->matchesAll(name, m_effort); });
        }
        ChosenLayers layers = noneOf(module);
        if (const auto* names = std::get_if<std::vector<std::string>>(&choice))
            addEndingIn(layers, module, *names);
        return layers;
    }

    void addEndingIn(ChosenLayers& layers, const NamedModule& module, const std::vector<std::string>& names)
    {
        // Comparing two names takes as long as a few steps of a pattern.
        m_effort.spend(8 * static_cast<std::int64_t>(names.size()));
        for (const std::string& name : names)
            add(layers, layersEndingIn(module, name));
    }

    /// Restricts layers to those in layers_to_transform, by the first number in a name (PEFT 0.20; older
    /// releases use the last).
    ChosenLayers inChosenLayers(const NamedModule& module, ChosenLayers layers)
    {
        if (m_adapter.layers.empty() || !isAny(layers))
            return layers;
        const std::size_t mark = module.name.find(layerMark);
        const bool isInLayers = mark != std::string::npos && mark > 0;
        const std::string head = isInLayers ? module.name.substr(0, mark - 1) : "";
        const bool isPattern =
            isInLayers && (m_layersPatterns.empty() ||
                           std::ranges::any_of(m_layersPatterns, [&](const NamePattern& pattern) {
                               return pattern.matchesAll(head, m_effort);
                           }));
        for (std::size_t layer = 0; layer < layers.size(); ++layer) {
            const auto number = static_cast<std::int64_t>(layer);
            const bool isMeant =
                isPattern && std::ranges::find(m_adapter.layers, number) != m_adapter.layers.end();
            layers[layer] = layers[layer] && isMeant;
        }
        return layers;
    }

    const PeftAdapter& m_adapter;
    const ModelSpec& m_spec;
    std::vector<NamedModule> m_modules;
    std::vector<NamePattern> m_saved;
    std::vector<NamePattern> m_layersPatterns;
    std::array<std::unique_ptr<NamePattern>, 2> m_patterns;
    bool m_hasNames = false;
    std::vector<std::string> m_names;
    MatchEffort m_effort;
};

[[noreturn]] void refuseTarget(const PeftAdapter& adapter, std::string_view what, std::string_view why)
{
    refusePartialTraining(adapter.place.position, sentence("{} ({})", what, adapter.place.path), why);
}

/// \throws NotRun if PEFT supports an adapter for the module, but trials do not
/// \throws ConfigError if PEFT does not support one either
void checkKind(const PeftAdapter& adapter, const NamedModule& module)
{
    switch (module.kind) {
    case ModuleKind::Linear:
    case ModuleKind::Conv1d:
        if (!module.projection)
            refuseTarget(adapter, "an adapter beside a classifier", reason::adapterOnOtherModules);
        break;
    case ModuleKind::Embedding:
        refuseTarget(adapter, "an adapter beside an embedding", reason::adapterOnEmbeddings);
    case ModuleKind::Router:
    case ModuleKind::Experts:
        refuseTarget(adapter, "adapters beside experts", reason::adapterOnExperts);
    case ModuleKind::Normalization:
        throw errorAt(
            adapter.place.position,
            "The value of {} names {}, a normalization, which PEFT has no adapter for; leave it out.",
            adapter.place.path, nameOfLayer(module.name, 0));
    case ModuleKind::Other:
        refuseTarget(adapter, "an adapter beside a convolution", reason::adapterOnOtherModules);
    }
}

/// A module, and its layers with an adapter.
struct TargetModule
{
    Projection projection;
    ChosenLayers layers;
    std::size_t firstLayer = 0;
};

/// Returns one target for all modules of the same projection.
/// \throws NotRun if only some of them have an adapter
model::AdapterTarget targetOf(Projection projection, const std::vector<TargetModule>& modules,
                              const PeftAdapter& adapter)
{
    model::AdapterTarget target{.projection = projection};
    ChosenLayers meant;
    bool isAll = true;
    for (const TargetModule& module : modules) {
        if (module.projection != projection)
            continue;
        meant.resize(std::max(meant.size(), module.layers.size()));
        for (std::size_t layer = 0; layer < module.layers.size(); ++layer)
            meant[layer] = meant[layer] || module.layers[layer];
        isAll = isAll && std::find(module.layers.begin() + static_cast<std::ptrdiff_t>(module.firstLayer),
                                   module.layers.end(), false) == module.layers.end();
    }
    if (isAll)
        return target;
    for (const TargetModule& module : modules) {
        const auto first = static_cast<std::ptrdiff_t>(module.firstLayer);
        if (module.projection == projection &&
            !std::equal(module.layers.begin() + first, module.layers.end(), meant.begin() + first))
            refuseTarget(adapter, "adapters in a part of an encoder and a decoder, or of several heads",
                         reason::adapterOnOtherModules);
    }
    for (std::size_t layer = 0; layer < meant.size(); ++layer) {
        if (meant[layer])
            target.layers.push_back(static_cast<std::int64_t>(layer));
    }
    return target;
}

std::vector<model::AdapterTarget> targetsOf(const PeftAdapter& adapter, const ModelSpec& spec)
{
    ModuleMatcher matcher(adapter, spec);
    std::vector<TargetModule> modules;
    bool isAny = false;
    for (const NamedModule& module : matcher.modules()) {
        if (module.isParameter)
            continue;
        ChosenLayers layers = matcher.layersOf(module);
        if (config::isAny(layers)) {
            checkKind(adapter, module);
            isAny = true;
        }
        if (module.projection)
            modules.push_back({.projection = *module.projection,
                               .layers = std::move(layers),
                               .firstLayer = static_cast<std::size_t>(module.firstLayer)});
    }
    // Experts used to be modules, which PEFT 0.19 converts to the parameters that they are now
    // (utils/transformers_weight_conversion.py).
    for (const NamedModule& module : olderModulesOf(spec)) {
        if ((module.kind == ModuleKind::Experts || module.kind == ModuleKind::Router) &&
            matcher.isNamed(module))
            checkKind(adapter, module);
    }
    if (!isAny) {
        throw errorAt(adapter.place.position,
                      "The value of {} names no module of the network, a {}, that can have an adapter; write "
                      "names such as {}.",
                      adapter.place.path, spec.family,
                      listed(splitWords(defaultTargets(spec).value_or("all-linear"))));
    }
    std::vector<model::AdapterTarget> targets;
    for (const TargetModule& module : modules) {
        if (config::isAny(module.layers) &&
            std::ranges::find(targets, module.projection, &model::AdapterTarget::projection) == targets.end())
            targets.push_back(targetOf(module.projection, modules, adapter));
    }
    return targets;
}

/// Whether a module of the parameter has a name with one of the ends, including modules that contain others
/// (_set_trainable in PEFT 0.18, utils/other.py).
bool isIn(std::string_view parameter, const std::vector<std::string>& endsOfModules)
{
    for (std::size_t end = parameter.rfind('.'); end != std::string_view::npos;
         end = end == 0 ? std::string_view::npos : parameter.rfind('.', end - 1)) {
        const std::string_view module = parameter.substr(0, end);
        if (std::ranges::any_of(endsOfModules,
                                [module](const std::string& name) { return module.ends_with(name); }))
            return true;
    }
    return false;
}

/// Warns of experts. Experts and their router are no linear layers since transformers 5, and PEFT 0.18 skips
/// them; later releases include them anyway (_resolve_target_modules in
/// utils/transformers_weight_conversion.py of PEFT 0.21).
void warnOfExperts(const PeftAdapter& adapter, const ModelSpec& spec, std::vector<Warning>& warnings)
{
    const auto* text = std::get_if<std::string>(&adapter.targets);
    const bool takesAll = adapter.targetsLinearNames || (text && lowerCase(*text) == allLinear);
    const auto* decoder = std::get_if<model::DecoderSpec>(&spec.architecture);
    if (!takesAll || !decoder || !model::hasExperts(*decoder))
        return;
    warn(
        warnings, adapter.place.position,
        "Adapters stand beside all linear layers ({}), of which experts are none in transformers 5; releases "
        "of PEFT after 0.18 may put some beside them too.",
        adapter.place.path);
}

/// Passes names on as the config writes them: only PEFT knows what they select in a network of transformers.
/// \throws NotRun if some layers or modules are excluded, which trials cannot pass on
void nameModules(model::Tuning& tuning, const PeftAdapter& adapter)
{
    if (!adapter.layers.empty() || adapter.excluded != ModuleChoice())
        refuseTarget(adapter, "an adapter in some layers", reason::adapterOnOtherModules);
    const auto* pattern = std::get_if<std::string>(&adapter.targets);
    const auto* names = std::get_if<std::vector<std::string>>(&adapter.targets);
    tuning.modules.isPattern = !names || adapter.targetsLinearNames;
    if (!tuning.modules.isPattern)
        tuning.modules.targets = *names;
    else
        tuning.modules.targets = {pattern && !adapter.targetsLinearNames ? *pattern : std::string(allLinear)};
    tuning.modules.saved = adapter.modulesToSave;
    tuning.modules.parameters = adapter.targetParameters;
}

} // namespace

model::Tuning tuningOf(const PeftAdapter& adapter, const ModelSpec& spec, std::vector<Warning>& warnings)
{
    if (modulesOf(spec).empty() && !model::needsPython(spec))
        refuseTarget(adapter, sentence("an adapter of the network {}", spec.family),
                     reason::adapterOnOtherModules);
    model::Tuning tuning{.adapter = adapter.usesDora ? model::AdapterKind::Dora : model::AdapterKind::Lora,
                         .rank = adapter.rank,
                         .alpha = adapter.alpha,
                         .rankStabilized = adapter.rankStabilized,
                         .dropout = adapter.dropout,
                         .frozenWeights = adapter.frozenWeights,
                         .doubleQuantization = adapter.doubleQuantization,
                         .quantizesExperts = adapter.quantizesExperts};
    if (model::needsPython(spec)) {
        nameModules(tuning, adapter);
        return tuning;
    }
    if (!adapter.targetParameters.empty()) {
        refusePartialTraining(adapter.parametersPlace.position,
                              sentence("adapters beside experts ({})", adapter.parametersPlace.path),
                              reason::adapterOnExperts);
    }
    withPatternsOf(adapter.place, [&] {
        tuning.targets = targetsOf(adapter, spec);
        MatchEffort effort;
        TrainedParts saved = trainedPartsOf(
            spec,
            [&](std::string_view name) {
                effort.spend(static_cast<std::int64_t>(adapter.modulesToSave.size()));
                return isIn(name, adapter.modulesToSave);
            },
            SharedOutput::IsModule);
        tuning.trainedParts = std::move(saved.parts);
        if (saved.hasPartsOfMatrices)
            warnOfPartsOfMatrices(adapter.place.position, warnings);
    });
    warnOfExperts(adapter, spec, warnings);
    if (const auto problem = model::problemWith(spec, tuning))
        throw ConfigError(*problem, adapter.place.position);
    return tuning;
}

namespace {

/// Refuses features of LoraConfig that trials do not have.
void refuseOtherKinds(const ConfigSection& section)
{
    constexpr std::string_view typeKey = "peft_type";
    const std::string type = section.text(typeKey).value_or("LORA");
    if (lowerCase(type) != "lora")
        refuseAdapter(section.positionOf(typeKey), type);
    constexpr std::array<UnmodeledFeature, 6> others{{{"rank_pattern",
                                                       "adapters of several ranks ({})",
                                                       UnmodeledFeature::When::On,
                                                       {},
                                                       {},
                                                       reason::adaptersOfSeveralKinds},
                                                      {"layer_replication",
                                                       "layers that are there several times ({})",
                                                       UnmodeledFeature::When::On,
                                                       {},
                                                       {},
                                                       reason::partialTraining},
                                                      {"trainable_token_indices",
                                                       "single tokens of an embedding ({})",
                                                       UnmodeledFeature::When::On,
                                                       {},
                                                       {},
                                                       reason::adapterOnEmbeddings},
                                                      {"lora_bias",
                                                       "biases beside adapters ({})",
                                                       UnmodeledFeature::When::On,
                                                       {},
                                                       {},
                                                       reason::partialTraining},
                                                      {"use_qalora",
                                                       "an adapter of another kind ({})",
                                                       UnmodeledFeature::When::On,
                                                       {},
                                                       {},
                                                       reason::partialTraining},
                                                      {"bias",
                                                       "biases beside adapters ({})",
                                                       UnmodeledFeature::When::NoneOf,
                                                       "none",
                                                       {},
                                                       reason::partialTraining}}};
    refuseOtherAdapter(section, others);
}

} // namespace

decltype(ConfigContents::tuningFor) tuningBy(PeftAdapter adapter)
{
    return [adapter = std::move(adapter)](const ModelSpec& spec, std::vector<Warning>& warnings) {
        return tuningOf(adapter, spec, warnings);
    };
}

void warnOfIntegerKernels(const Settings& settings, std::string_view key, std::vector<Warning>& warnings)
{
    warnOfApproximation(warnings, settings.positionOf(key), approximation::integerProducts,
                        "On a GPU the run rounds inputs to 8 bits and scales products back by bitsandbytes' "
                        "kernels ({}), where trials have several operations; in training on the CPU both "
                        "expand the weights.",
                        key);
}

void warnOfAdapterFile(const Settings& settings, std::string_view key, std::vector<Warning>& warnings)
{
    warnOfApproximation(warnings, settings.positionOf(key), approximation::adapterOfFile,
                        "The run goes on with an adapter whose own file says what it is ({}); trials take "
                        "it as it is described here.",
                        key);
}

void warnOfNarrowCopies(const Settings& settings, std::string_view key, std::vector<Warning>& warnings)
{
    // ModulesToSaveWrapper of PEFT copies modules in their own type.
    warnOfApproximation(warnings, settings.positionOf(key), approximation::bf16Copies,
                        "The run trains the modules of {} in 16 bits; trials train them in fp32, as the "
                        "adapters, which takes more memory.",
                        key);
}

void refuseOtherAdapter(const Settings& settings, std::span<const UnmodeledFeature> differences)
{
    for (const UnmodeledFeature& difference : differences) {
        if (const auto found = firstOf(settings, std::span(&difference, 1)))
            refusePartialTraining(found->position, found->sentence, difference.why);
    }
}

ModuleChoice readModuleChoice(const ConfigSection& section, std::string_view key)
{
    const YamlNode* value = section.value(key);
    if (!value)
        return {};
    if (value->kind == NodeKind::Sequence)
        return section.words(key).value();
    return section.text(key).value();
}

std::vector<std::string> readTexts(const ConfigSection& section, std::string_view key)
{
    const ModuleChoice choice = readModuleChoice(section, key);
    if (const auto* text = std::get_if<std::string>(&choice))
        return {*text};
    const auto* texts = std::get_if<std::vector<std::string>>(&choice);
    return texts ? *texts : std::vector<std::string>();
}

std::vector<std::int64_t> readLayers(const ConfigSection& section, std::string_view key)
{
    const YamlNode* value = section.value(key);
    if (value && value->kind == NodeKind::Sequence)
        return section.integers(key).value();
    const auto layer = section.integer(key);
    return layer ? std::vector{*layer} : std::vector<std::int64_t>();
}

void addSavedHeads(PeftAdapter& adapter, std::string_view taskType)
{
    if (taskType == "SEQ_CLS")
        adapter.modulesToSave.insert(adapter.modulesToSave.end(), {"classifier", "score"});
}

void readTargetParameters(const ConfigSection& section, std::string_view key, PeftAdapter& adapter)
{
    adapter.targetParameters = readTexts(section, key);
    adapter.parametersPlace = {.path = section.pathOf(key), .position = section.positionOf(key)};
}

PeftAdapter readPeftConfig(const ConfigSection& section)
{
    refuseOtherKinds(section);
    constexpr std::string_view targetsKey = "target_modules";
    // LoraConfig in PEFT 0.18, tuners/lora/config.py.
    PeftAdapter adapter{
        .rank = sizeOr(section, "r", 8),
        .alpha = section.number("lora_alpha").value_or(8.0),
        .dropout = dropoutRateOr(section, "lora_dropout", 0.0),
        .rankStabilized = section.boolean("use_rslora").value_or(false),
        .usesDora = section.boolean("use_dora").value_or(false),
        .targets = readModuleChoice(section, targetsKey),
        .excluded = readModuleChoice(section, "exclude_modules"),
        .modulesToSave = readTexts(section, "modules_to_save"),
        .layers = readLayers(section, "layers_to_transform"),
        .layersPatterns = readTexts(section, "layers_pattern"),
        .place = {.path = section.pathOf(targetsKey), .position = section.positionOf(targetsKey)}};
    readTargetParameters(section, "target_parameters", adapter);
    addSavedHeads(adapter, section.text("task_type").value_or(""));
    return adapter;
}

} // namespace batchpeak::config
