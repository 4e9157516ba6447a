// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "own_yaml.h"

#include "model/architecture_fields.h"

#include <array>
#include <charconv>

namespace batchpeak::config {

namespace {

std::string numberText(std::int64_t value)
{
    return std::to_string(value);
}

/// The shortest text that reads as the same number; with a point, without which YAML 1.1 takes 1e-05 for a
/// word.
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

std::string numberText(bool value)
{
    return value ? "true" : "false";
}

std::string quoted(const std::string& text)
{
    std::string result = "\"";
    for (char character : text) {
        if (character == '"' || character == '\\')
            result += '\\';
        result += character == '\n' ? "\\n" : std::string(1, character);
    }
    return result + '"';
}

/// Writes the members of a network as lines of a mapping.
class LineWriter
{
public:
    explicit LineWriter(std::string indent) : m_indent(std::move(indent)) {}

    void value(const std::string& key, const std::string& member) { add(key, quoted(member)); }
    template<typename Number>
    void value(const std::string& key, const Number& member)
    {
        add(key, numberText(member));
    }

    template<typename Value, typename Parse>
    void word(const std::string& key, const Value& member, Parse /*parse*/)
    {
        add(key, std::string(toText(member)));
    }

    void sizes(const std::string& key, const std::vector<std::int64_t>& member)
    {
        std::string list;
        for (std::int64_t size : member)
            list += (list.empty() ? "" : ", ") + std::to_string(size);
        add(key, "[" + list + "]");
    }

    template<typename Value>
    void list(const std::string& key, std::vector<Value>& member)
    {
        m_lines += m_indent + key + ":\n";
        for (Value& value : member) {
            LineWriter item(m_indent + "    ");
            visitFields(value, item);
            std::string lines = item.lines();
            lines.replace(m_indent.size(), 4, "  - ");
            m_lines += lines;
        }
    }

    void add(const std::string& key, const std::string& text)
    {
        m_lines += m_indent + key + ": " + text + "\n";
    }

    const std::string& lines() const { return m_lines; }

private:
    std::string m_indent;
    std::string m_lines;
};

void addPlan(LineWriter& lines, const BatchPlan& plan, const std::string& prefix)
{
    lines.add(prefix + "batch_size", std::to_string(plan.globalBatchSize));
    const std::string present =
        plan.presentSize ? "   # " + std::to_string(*plan.presentSize) + " as " + plan.microBatchKey : "";
    lines.add(prefix + "micro_batch_size", toText(plan.setting) + present);
}

void addRun(LineWriter& lines, const ConfigContents& contents, const model::ModelSpec& spec)
{
    if (model::takesSequences(spec))
        lines.add("sequence_length",
                  std::to_string(contents.sequenceLength > 0 ? contents.sequenceLength
                                                             : model::usualSequenceLength(spec)));
    if (contents.targetLength)
        lines.add("decoder_sequence_length", std::to_string(*contents.targetLength));
    lines.add("precision", std::string(toText(contents.precision)));
    lines.add("optimizer", std::string(toText(contents.optimizer)));
    lines.value("activation_checkpointing", contents.step.activationCheckpointing);
    lines.value("loss_chunk_rows", contents.step.lossChunkRows);
    lines.value("max_gradient_norm", contents.step.maxGradientNorm);
}

void addTrainingSettings(LineWriter& lines, const TrainingSettings& settings)
{
    if (settings.learningRate)
        lines.value("learning_rate", *settings.learningRate);
    if (settings.weighsTokens)
        lines.add("weight_by", *settings.weighsTokens ? "tokens" : "samples");
    if (settings.usesMaximumBatchSize)
        lines.value("use_maximum_batch_size", true);
    if (!settings.batchIncreaseFunction.empty())
        lines.value("batch_increase_function", settings.batchIncreaseFunction);
}

} // namespace

std::string toOwnYaml(const ConfigContents& contents)
{
    if (const auto* unsupported = std::get_if<UnsupportedModel>(&contents.model))
        throw ConfigError(unsupported->sentence, unsupported->position);
    const BatchPlan* first = contents.train ? &*contents.train : contents.eval ? &*contents.eval : nullptr;
    const BatchPlan explored{.setting = Explore{}};

    model::ModelSpec spec = std::get<model::ModelSpec>(contents.model);
    LineWriter network("  ");
    network.add("family", spec.family);
    std::visit([&network](auto& members) { visitFields(members, network); }, spec.architecture);

    LineWriter run("");
    addPlan(run, first ? *first : explored, "");
    if (contents.train && contents.eval)
        addPlan(run, *contents.eval, "eval_");
    run.add("devices", std::to_string(first ? first->devices : 1));
    addRun(run, contents, spec);
    addTrainingSettings(run, contents.training);
    return "# Made from a config of " + contents.formatName + ".\nbatchpeak: 1\nmodel:\n" + network.lines() +
           run.lines();
}

} // namespace batchpeak::config
