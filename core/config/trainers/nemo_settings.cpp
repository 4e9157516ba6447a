// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "nemo_settings.h"

#include "cerebras/cerebras_keys.h"

namespace batchpeak::config {

std::optional<std::int64_t> NemoSettings::integer(std::string_view name) const
{
    return m_model.integer(name);
}

std::optional<double> NemoSettings::number(std::string_view name) const
{
    return m_model.number(name);
}

std::optional<bool> NemoSettings::boolean(std::string_view name) const
{
    return m_model.boolean(name);
}

std::optional<std::string> NemoSettings::text(std::string_view name) const
{
    if (name.starts_with("tokenizer_"))
        return tokenizer(name);
    // A list of settings, one for each layer.
    if (m_model.has(name) && m_model.find(name)->resolvedValue().kind != NodeKind::Scalar)
        return "a list";
    return m_model.text(name);
}

bool NemoSettings::isOn(std::string_view name) const
{
    return isSwitchedOn(m_model, name);
}

TextPosition NemoSettings::positionOf(std::string_view name) const
{
    return m_model.positionOf(name.starts_with("tokenizer_") ? "tokenizer" : name);
}

/// The type is the tokenizer of the library megatron, and the network of the library huggingface:
/// get_nmt_tokenizer in nemo/collections/nlp/modules/common/tokenizer_utils.py of NeMo 2.0.
std::optional<std::string> NemoSettings::tokenizer(std::string_view name) const
{
    const auto section = m_model.section("tokenizer");
    if (!section)
        return "that the config does not name";
    const std::string library = section->text("library").value_or("");
    if (name == "tokenizer_type")
        return library == "megatron" ? section->text("type")
                                     : std::optional("of the library \"" + library + "\"");
    return library == "huggingface" ? section->text("type") : std::nullopt;
}

} // namespace batchpeak::config
