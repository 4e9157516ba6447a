// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_document.h"
#include "model/architecture_fields.h"
#include "model/step_fields.h"

#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>
#include <yaml-cpp/stlemitter.h>

#include <array>
#include <charconv>

namespace batchpeak::config {

namespace {

/// Returns the shortest text that reads as the same number. It has a decimal point, without which YAML 1.1
/// reads 1e-05 as a word.
std::string numberText(double value)
{
    std::array<char, 32> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    std::string text(digits.data(), end);
    const std::size_t exponent = text.find('e');
    if (text.find('.') == std::string::npos)
        text.insert(std::min(exponent, text.size()), ".0");
    return text;
}

/// Writes entries of a mapping. As a visitor of visitFields(), it writes the members of a network.
class EntryWriter
{
public:
    explicit EntryWriter(YAML::Emitter& out) : m_out(out) {}

    void value(const std::string& key, const std::string& member)
    {
        m_out << YAML::Key << key << YAML::Value << YAML::DoubleQuoted << member;
    }
    void value(const std::string& key, double member) { plain(key, numberText(member)); }
    void value(const std::string& key, std::int64_t member) { plain(key, std::to_string(member)); }
    void value(const std::string& key, bool member) { plain(key, member ? "true" : "false"); }

    template<typename Value>
    void word(const std::string& key, const Value& member)
    {
        plain(key, std::string(toText(member)));
    }

    void sizes(const std::string& key, const std::vector<std::int64_t>& member)
    {
        m_out << YAML::Key << key << YAML::Value << YAML::Flow << member;
    }

    void texts(const std::string& key, const std::vector<std::string>& member)
    {
        m_out << YAML::Key << key << YAML::Value << YAML::Flow << member;
    }

    template<typename Value>
    void list(const std::string& key, std::vector<Value>& member)
    {
        m_out << YAML::Key << key << YAML::Value << YAML::BeginSeq;
        for (Value& value : member) {
            m_out << YAML::BeginMap;
            visitFields(value, *this);
            m_out << YAML::EndMap;
        }
        m_out << YAML::EndSeq;
    }

    /// Writes a text that YAML reads as a number or a word.
    void plain(const std::string& key, const std::string& text)
    {
        m_out << YAML::Key << key << YAML::Value << text;
    }

    void setting(const std::string& key, const Setting& setting)
    {
        const auto* explore = std::get_if<Explore>(&setting);
        if (std::holds_alternative<Whole>(setting)) {
            m_out << YAML::Key << key << YAML::Value << YAML::Null;
        } else if (!explore || (!explore->minimum && !explore->maximum)) {
            plain(key, toText(setting));
        } else {
            m_out << YAML::Key << key << YAML::Value << YAML::Flow << YAML::BeginMap << YAML::Key << "explore"
                  << YAML::Value << YAML::BeginMap;
            if (explore->minimum)
                value("min", *explore->minimum);
            if (explore->maximum)
                value("max", *explore->maximum);
            m_out << YAML::EndMap << YAML::EndMap;
        }
    }

    void comment(const std::string& text) { m_out << YAML::Comment(text); }

private:
    YAML::Emitter& m_out;
};

void addPlan(EntryWriter& entries, const BatchPlan& plan, const std::string& prefix)
{
    entries.value(prefix + "batch_size", plan.globalBatchSize);
    entries.setting(prefix + "micro_batch_size", plan.setting);
    if (plan.presentSize)
        entries.comment(std::to_string(*plan.presentSize) + " as " + plan.microBatchKey);
}

void addRun(EntryWriter& entries, const ConfigContents& contents, const model::ModelSpec& spec)
{
    if (model::takesSequences(spec)) {
        entries.value("sequence_length", contents.sequenceLength > 0 ? contents.sequenceLength
                                                                     : model::defaultSequenceLength(spec));
    }
    if (contents.targetLength)
        entries.value("decoder_sequence_length", *contents.targetLength);
    entries.word("precision", contents.precision);
    entries.word("optimizer", contents.optimizer);
    model::visitStepFields([&](const model::StepField& field, auto member) {
        using enum model::StepField::Written;
        const auto value = contents.step.*member;
        const bool isChanged = value != model::StepOptions().*member;
        if (field.inConfig == Never || (field.inConfig == IfChanged && !isChanged))
            return;
        if constexpr (model::HasWords<decltype(value)>)
            entries.word(field.name, value);
        else
            entries.value(field.name, value);
    });
}

void addTrainingSettings(EntryWriter& entries, const TrainingSettings& settings)
{
    if (settings.learningRate)
        entries.value("learning_rate", *settings.learningRate);
    if (settings.weighsTokens)
        entries.plain("weight_by", *settings.weighsTokens ? "tokens" : "samples");
    if (settings.usesMaximumBatchSize)
        entries.value("use_maximum_batch_size", true);
    if (!settings.batchIncreaseFunction.empty())
        entries.value("batch_increase_function", settings.batchIncreaseFunction);
}

} // namespace

std::string toOwnYaml(const ConfigContents& contents)
{
    if (const auto* unsupported = std::get_if<UnsupportedModel>(&contents.model))
        throw ConfigError(unsupported->sentence, unsupported->position);
    const BatchPlan* first = contents.train ? &*contents.train : contents.eval ? &*contents.eval : nullptr;
    const BatchPlan explored{.setting = Explore{}};
    model::ModelSpec spec = std::get<model::ModelSpec>(contents.model);
    if (model::needsPython(spec)) {
        throw ConfigError(
            "The network is described by its config.json alone; a config of Batchpeak's own cannot "
            "hold it.");
    }

    YAML::Emitter out;
    out.SetNullFormat(YAML::LowerNull);
    out.SetPreCommentIndent(3);
    EntryWriter entries(out);
    out << YAML::BeginMap;
    entries.value("batchpeak", std::int64_t{1});
    out << YAML::Key << "model" << YAML::Value << YAML::BeginMap;
    entries.plain("family", spec.family);
    std::visit([&entries](auto& members) { visitFields(members, entries); }, spec.architecture);
    out << YAML::EndMap;
    addPlan(entries, first ? *first : explored, "");
    if (contents.train && contents.eval)
        addPlan(entries, *contents.eval, "eval_");
    entries.value("devices", first ? first->devices : std::int64_t{1});
    if (!isUntuned(contents.tuning)) {
        model::Tuning tuning = contents.tuning;
        out << YAML::Key << "tuning" << YAML::Value << YAML::BeginMap;
        visitFields(tuning, entries);
        out << YAML::EndMap;
    }
    addRun(entries, contents, spec);
    addTrainingSettings(entries, contents.training);
    out << YAML::EndMap;
    return "# Made from a config of " + contents.formatName + ".\n" + out.c_str() + "\n";
}

} // namespace batchpeak::config
