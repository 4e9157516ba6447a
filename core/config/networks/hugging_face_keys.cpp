// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hugging_face_keys.h"

#include "section_sizes.h"

#include <algorithm>
#include <array>
#include <utility>

namespace batchpeak::config {

using model::Activation;

namespace {

using ActivationWord = std::pair<std::string_view, Activation>;

template<std::size_t count>
std::optional<Activation> valueOf(const std::array<ActivationWord, count>& words, std::string_view word)
{
    const auto* found = std::ranges::find(words, word, &ActivationWord::first);
    return found == words.end() ? std::nullopt : std::optional(found->second);
}

} // namespace

UnsupportedModel networkWith(const ConfigSection& config, std::string_view key, const std::string& feature)
{
    return {"The network has " + feature + " (" + config.pathOf(key) +
                "), which trials here do not have, so that they would measure another network.",
            config.positionOf(key)};
}

std::string_view keyThere(const ConfigSection& config, std::string_view own, std::string_view later)
{
    return config.has(later) ? later : own;
}

std::vector<std::string> wordsOf(const ConfigSection& config, std::string_view key)
{
    if (!config.has(key))
        return {};
    const YamlNode& list = config.find(key)->resolvedValue();
    if (list.kind != NodeKind::Sequence)
        config.fail(key, "must be a list of words, but is " + described(list));
    std::vector<std::string> words;
    for (const YamlNode* item : list.children) {
        if (resolved(*item).kind != NodeKind::Scalar)
            config.fail(key, "must be a list of words, but holds " + described(*item));
        words.push_back(resolved(*item).value);
    }
    return words;
}

std::optional<std::string> classOf(const ConfigSection& config)
{
    const auto classes = wordsOf(config, "architectures");
    return classes.empty() ? std::nullopt : std::optional(classes.front());
}

std::optional<UnsupportedModel> otherHead(const ConfigSection& config, const KnownHead& known,
                                          std::vector<Warning>& warnings)
{
    const auto name = classOf(config);
    if (!name || std::ranges::any_of(known.suffixes,
                                     [&name](std::string_view suffix) { return name->ends_with(suffix); }))
        return std::nullopt;
    if (*name != known.alone)
        return networkWith(config, "architectures", "the heads of " + *name);
    warnings.push_back(
        {*name + " is a network without a head, which has nothing to learn by; trials run it with " +
             known.head + ".",
         config.positionOf("architectures")});
    return std::nullopt;
}

std::optional<Activation> plainActivationOf(std::string_view word)
{
    constexpr std::array<ActivationWord, 8> words{{{"gelu", Activation::Gelu},
                                                   {"gelu_python", Activation::Gelu},
                                                   {"gelu_new", Activation::GeluTanh},
                                                   {"gelu_fast", Activation::GeluTanh},
                                                   {"gelu_accurate", Activation::GeluTanh},
                                                   {"gelu_pytorch_tanh", Activation::GeluTanh},
                                                   {"gelu_python_tanh", Activation::GeluTanh},
                                                   {"relu", Activation::Relu}}};
    return valueOf(words, word);
}

std::optional<Activation> gatedActivationOf(std::string_view word)
{
    if (plainActivationOf(word) == Activation::GeluTanh)
        return Activation::GeGlu;
    return word == "silu" || word == "swish" ? std::optional(Activation::SwiGlu) : std::nullopt;
}

std::string_view labelsKey(const ConfigSection& config)
{
    return config.has("id2label") ? "id2label" : "num_labels";
}

std::int64_t labelsOf(const ConfigSection& config)
{
    if (const auto labels = config.section("id2label"))
        return checkedSize(config, "id2label", static_cast<std::int64_t>(labels->keys().size()));
    return sizeOr(config, "num_labels", 2);
}

} // namespace batchpeak::config
