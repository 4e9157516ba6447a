// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "format.h"
#include "syntax/shell_arguments.h"
#include "syntax/text_check.h"
#include "syntax/toml_document.h"
#include "syntax/words.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace batchpeak::config {

/// Says of a text that fits no format what it is, and what to do.
namespace {

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

TextPosition positionOf(std::string_view text, std::size_t byte)
{
    return positionIn(text, std::min(byte, text.size()));
}

/// A kind of text that is recognized by a mark at any place of it.
struct MarkedKind
{
    std::string_view mark;
    std::string_view sentence;
};

/// Marks of templates; the first that is found counts.
constexpr std::array<MarkedKind, 2> templateMarks{
    {{"{%",
      "The text is a Jinja template: line {} has \"{%\". Render it, and open the config that comes of it."},
     {"{{",
      "The text is a Jinja template: line {} has \"{{\". Render it, and open the config that comes of it."}}};

/// Returns why a template is not read.
std::optional<ConfigError> templateError(const std::string& text)
{
    for (const MarkedKind& kind : templateMarks) {
        const std::size_t at = text.find(kind.mark);
        const std::size_t end = at == std::string::npos ? at : text.find(kind.mark == "{%" ? "%}" : "}}", at);
        if (end != std::string::npos && end < lineEnd(text, at)) {
            const TextPosition position = positionOf(text, at);
            return errorAt(position, kind.sentence, position.line);
        }
    }
    return std::nullopt;
}

/// Returns why a sweep is not read: its values are several runs.
std::optional<ConfigError> sweepError(const ConfigSection& root)
{
    const ConfigSection parameters = root.sectionIfAny("parameters");
    if (!root.find("method") || parameters.keys().empty())
        return std::nullopt;
    std::string several;
    TextPosition position = root.positionOf("parameters");
    for (std::string_view key : parameters.keys()) {
        if (key.find("batch_size") == std::string_view::npos)
            continue;
        const ConfigSection parameter = parameters.sectionIfAny(key);
        const YamlNode* values = parameter.value("values");
        if (!values || values->kind != NodeKind::Sequence)
            continue;
        std::vector<std::string_view> written;
        for (const YamlNode* item : values->children)
            written.push_back(item->value);
        several = sentence(": {} is a list of {} ({})", key, written.size(), listed(written));
        position = parameter.positionOf("values");
        break;
    }
    return errorAt(position,
                   "The text is a W&B sweep, which describes several runs{}. Open the config of one run.",
                   several);
}

/// Returns why a config of Hydra is not read whose batch only a run calculates.
std::optional<ConfigError> resolverError(const YamlDocument& document)
{
    for (const YamlNode& node : document.nodes()) {
        const YamlNode* key = keyBefore(node);
        const bool isBatch = key && key->value.find("batch") != std::string::npos;
        if (node.kind != NodeKind::Scalar || !isBatch || !node.value.starts_with("${"))
            continue;
        const std::size_t end = std::min(node.value.find_first_of(":}"), node.value.size());
        if (end < node.value.size() && node.value[end] == ':') {
            return errorAt(
                document.positionOf(node),
                "The text is a Hydra config of a trainer that is not known here, and only a run calculates "
                "{} (\"{}\"). Open a config with the number.",
                key->value, shortened(node.value));
        }
    }
    return std::nullopt;
}

/// Returns the line of a text that begins with one of the words; the end of the text if there is none.
std::size_t lineWith(std::string_view text, std::string_view words)
{
    for (std::size_t line = lineBegin(text, 0); line < text.size(); line = nextLine(text, line)) {
        const std::string_view content = text.substr(line, lineEnd(text, line) - line);
        if (isAmong(content.substr(0, content.find(' ')), words) && content.find(' ') != content.npos)
            return line;
    }
    return text.size();
}

/// Whether a text begins with words that no operator separates.
bool isProse(std::string_view text)
{
    const auto words = splitWords(text);
    const auto isWord = [](std::string_view word) {
        return !isAmong(word, "if else and or not in is for lambda") &&
               std::ranges::all_of(word, [](unsigned char c) { return std::isalnum(c) != 0; });
    };
    return words.size() >= 3 && std::all_of(words.begin(), words.begin() + 3, isWord);
}

/// Whether a line assigns a value as Python does: "batch_size = 12".
bool assignsAsPython(std::string_view text)
{
    for (std::size_t line = lineBegin(text, 0); line < text.size(); line = nextLine(text, line)) {
        const std::string_view content = text.substr(line, lineEnd(text, line) - line);
        const std::size_t equals = content.find(" = ");
        const bool isName = equals != content.npos && equals > 0 &&
                            std::ranges::all_of(content.substr(0, equals), [](unsigned char c) {
                                return std::isalnum(c) != 0 || c == '_';
                            });
        if (isName && !isProse(content.substr(equals + 3)))
            return true;
    }
    return false;
}

/// Returns why a text with tables of TOML is not read: "[model]" is a line of its own.
std::optional<ConfigError> tomlError(const std::string& text)
{
    const auto isName = [](unsigned char c) {
        return std::isalnum(c) != 0 ||
               std::string_view("_.-[]").find(static_cast<char>(c)) != std::string_view::npos;
    };
    for (std::size_t line = lineBegin(text, 0); line < text.size(); line = nextLine(text, line)) {
        const std::string_view content = std::string_view(text).substr(line, lineEnd(text, line) - line);
        if (!content.starts_with('[') || !content.ends_with(']') || !std::ranges::all_of(content, isName))
            continue;
        try {
            return errorAt({}, "Unrecognized config ({}). See `batchpeak formats`.",
                           closestText(ConfigText(tomlDocument(text))));
        } catch (const ConfigError& error) {
            return error;
        }
    }
    return std::nullopt;
}

bool isScript(std::string_view text)
{
    return text.starts_with("#!") || text.find("\n#SBATCH") != text.npos || text.find(" \\\n") != text.npos ||
           text.find(" ^\r\n") != text.npos ||
           lineWith(text, "python accelerate torchrun deepspeed srun export") < text.size();
}

/// Returns why a script is not read whose batch size is among options that are passed to no command.
std::optional<ConfigError> cutOffError(const ScriptSource& source)
{
    for (const ScriptArguments& run : scriptArguments(source)) {
        if (run.cutOff && !run.isList && setsTrainSize(run))
            return cutOffError(run);
    }
    return std::nullopt;
}

/// Returns the first config that a script names as a word; empty if there is none.
std::string configNamedIn(const ShellScript& script)
{
    for (const ShellWord& word : script.words().words) {
        std::string value = script.valueOf(word).value_or("");
        const bool isName = value.ends_with(".yaml") || value.ends_with(".yml") || value.ends_with(".toml");
        if (isName && !word.isProse && !value.starts_with('-'))
            return value;
    }
    return {};
}

} // namespace

ConfigError unreadable(const ConfigText& text)
{
    const std::string& written = text.text();
    const std::string_view interpreter = std::string_view(written).substr(0, lineEnd(written, 0));
    const bool hasShebang = interpreter.starts_with("#!");
    const auto root = text.root();
    if (root && root->find("cells") && root->find("nbformat"))
        return errorAt(
            {}, "The text is a notebook, which is not read. Write its arguments into a config or a script.");
    if (const auto error = templateError(written); error && !root)
        return *error;
    if (root && !hasShebang) {
        if (const auto error = sweepError(*root))
            return *error;
        if (const auto error = resolverError(*text.document()))
            return *error;
        return errorAt({}, "Unrecognized config ({}). See `batchpeak formats`.", closestText(text));
    }
    if (const auto error = hasShebang ? std::nullopt : tomlError(written))
        return *error;
    const bool isPython =
        hasShebang ? interpreter.find("python") != interpreter.npos
                   : lineWith(written, "import from def class") < written.size() || assignsAsPython(written);
    if (isPython) {
        return errorAt(
            {}, "The text is a Python file, which is not read. Measure the script itself with --with python, "
                "or write its arguments into a config.");
    }
    if (lineWith(written, "FROM") < written.size() &&
        lineWith(written, "RUN CMD ENTRYPOINT") < written.size()) {
        return errorAt({},
                       "The text is a Dockerfile, which is not read. Open the config or the script that its "
                       "command starts.");
    }
    if (written.find("\n```") != written.npos) {
        return errorAt({},
                       "The text is Markdown, which is not read. Save the config or the command in it as a "
                       "file of its own.");
    }
    if (isScript(written)) {
        const bool isLong = written.size() > maxScriptBytes;
        const ScriptSource source = isLong ? scriptSource({}) : scriptSource(written);
        if (const auto error = mayNameBatch(written) ? cutOffError(source) : std::nullopt)
            return *error;
        if (const std::string config = configNamedIn(*source.script); !config.empty()) {
            return errorAt(
                {},
                "The text is a shell script that starts no trainer known here with a batch size. It "
                "names {}: open that if it is the config.",
                shortened(config));
        }
        return errorAt({},
                       "The text is a shell script that starts no trainer known here with a batch size. See "
                       "`batchpeak formats`.");
    }
    if (text.problem())
        return *text.problem();
    return errorAt({}, "Unrecognized config ({}). See `batchpeak formats`.", closestText(text));
}

} // namespace batchpeak::config
