// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell_arguments.h"

#include "config_section.h"
#include "json_text.h"
#include "text_check.h"
#include "words.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace batchpeak::config {

namespace {

using Kind = ShellPiece::Kind;

/// Options that take several words: those of HfArgumentParser (transformers 5.23, hf_argparser.py) whose type
/// is a list have such names.
bool takesList(std::string_view key)
{
    return key.find("modules") != std::string_view::npos || key == "report_to" ||
           key == "lr_scheduler_kwargs";
}

bool isPartOfBatch(std::string_view key)
{
    return key.find("batch") != std::string_view::npos || key.find("accumul") != std::string_view::npos;
}

/// Whether YAML reads the text as it is: a number or a word, a path, an id of the hub.
bool isPlainText(std::string_view text)
{
    const auto isPlain = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               std::string_view("_.+/-").find(c) != std::string_view::npos;
    };
    const bool isRule = text.starts_with("---") || text == "-" || text == "...";
    return !text.empty() && !isRule && std::ranges::all_of(text, isPlain);
}

bool isFlow(const std::string& text, bool isSetting)
{
    if (!text.starts_with('[') && !text.starts_with('{'))
        return false;
    if (!isSetting)
        return nlohmann::json::accept(text);
    try {
        const YamlDocument parsed(text);
        return parsed.root().flow;
    } catch (const ConfigError&) {
        return false;
    }
}

/// An entry, or a mapping of entries, in the order in which the options stand.
struct Entry
{
    const ShellArgument* argument = nullptr;
    std::vector<std::pair<std::string, Entry>> entries = {};

    Entry& at(std::string_view key)
    {
        const auto found = std::ranges::find(entries, key, &std::pair<std::string, Entry>::first);
        if (found != entries.end())
            return found->second;
        return entries.emplace_back(std::string(key), Entry()).second;
    }
};

/// What the bytes of a value come from.
struct WrittenValue
{
    const ShellArgument* argument = nullptr;
    /// Null for an option without a value.
    const ShellWord* word = nullptr;
    /// Whether the bytes come from a config that the command names, after its last option.
    bool isOfConfig = false;
};

/// Whether a text is a config of keys and values, which can be merged into another.
bool isMapping(const std::string& text)
{
    try {
        const YamlDocument document(text);
        return document.root().kind == NodeKind::Mapping && !document.root().children.empty();
    } catch (const ConfigError&) {
        return false;
    }
}

class DocumentWriter
{
public:
    explicit DocumentWriter(const ScriptSource& source) : m_source(source), m_script(source.script) {}

    ScriptArguments write(const ShellRun& run, std::size_t index)
    {
        Entry root;
        for (const ShellArgument* argument : run.arguments)
            place(*argument, root);
        ScriptArguments result{.words = run.words, .isList = run.isList};
        if (run.words.starts_with("--"))
            result.cutOff = positionIn(m_script->text(), run.arguments.front()->begin);
        writeEntries(root, 0, result);
        if (m_text.empty())
            return result;
        // Only entries of the root can be replaced in a merged mapping.
        const bool isFlat =
            std::ranges::all_of(root.entries, [](const auto& entry) { return entry.second.entries.empty(); });
        if (isFlat)
            mergeConfig(run, result);
        auto origin = std::make_shared<DocumentOrigin>(
            DocumentOrigin{.text = m_source.text, .segments = std::move(m_segments)});
        const auto values = std::make_shared<const std::map<std::size_t, WrittenValue>>(std::move(m_values));
        origin->replace = [script = m_script, values](const OriginSegment& segment,
                                                      const std::string& value) {
            const auto& [argument, word, isOfConfig] = values->at(segment.begin);
            if (isOfConfig)
                throw ConfigError("The value stands in the config that the script names; change it there.");
            return word ? argumentChange(*script, *argument, *word, value)
                        : OriginChange{.piece = {argument->end, argument->end, " " + value}};
        };
        origin->insert = [source = m_source, values](const OriginSegment& beside, std::string_view path,
                                                     const std::string& value) {
            const ShellArgument& neighbor = *values->at(beside.begin).argument;
            const bool isSetting = !neighbor.name.starts_with("--");
            const std::string name = (isSetting ? "" : "--") + std::string(path);
            const bool isJoined = neighbor.isJoined;
            const TextPiece piece =
                insertedArgument(*source.script, neighbor, name + (isJoined ? "=" : " ") + value);
            return OriginChange{.piece = source.asWritten ? source.asWritten(piece) : piece};
        };
        origin->reread = [source = m_source, index](const std::string& text) {
            ScriptSource changed = source.reread(text);
            changed.file = source.file;
            return DocumentWriter(changed).write(changed.script->runs().at(index), index).document;
        };
        result.document = std::make_shared<const YamlDocument>(std::move(m_text), std::move(origin));
        return result;
    }

private:
    void place(const ShellArgument& argument, Entry& root)
    {
        std::string_view path = argument.name;
        const bool isOption = path.starts_with("--");
        path.remove_prefix(isOption ? 2 : 0);
        std::string name(path);
        if (isOption)
            std::ranges::replace(name, '-', '_');
        path = name;
        Entry* entry = &root;
        for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.')) {
            entry = &entry->at(path.substr(0, dot));
            path.remove_prefix(dot + 1);
        }
        // argparse and Hydra take the last one.
        entry->at(path).argument = &argument;
    }

    void writeEntries(const Entry& entry, int depth, ScriptArguments& result)
    {
        for (const auto& [key, value] : entry.entries) {
            const std::string begin = std::string(static_cast<std::size_t>(depth) * 2, ' ') +
                                      (isPlainText(key) ? key : quotedJson(key)) + ":";
            const std::size_t undo = m_text.size();
            if (!value.entries.empty()) {
                m_text += begin + "\n";
                const std::size_t written = m_text.size();
                writeEntries(value, depth + 1, result);
                if (m_text.size() == written)
                    m_text.resize(undo);
                continue;
            }
            m_text += begin + " ";
            if (writeValue(key, *value.argument, result)) {
                m_text += "\n";
                continue;
            }
            m_text.resize(undo);
            const ShellArgument& argument = *value.argument;
            result.unknown.push_back(
                {.key = argument.name,
                 .position = positionIn(m_script->text(), argument.values.front().begin)});
        }
    }

    /// Returns whether the value is known, or has to be looked at.
    bool writeValue(std::string_view key, const ShellArgument& argument, ScriptArguments& result)
    {
        if (argument.values.empty()) {
            addSegment("true", argument, nullptr);
            return true;
        }
        const ShellWord& first = argument.values.front();
        const bool isSetting = !argument.name.starts_with("--");
        if (argument.values.size() > 1 && takesList(key)) {
            std::string list = "[";
            for (const ShellWord& word : argument.values) {
                list += &word == &first ? "" : ", ";
                list += quotedJson(m_script->valueOf(word).value_or("?"));
            }
            addSegment(list + "]", argument, &first);
            return true;
        }
        const auto text = m_script->valueOf(first);
        if (!text && !isPartOfBatch(key))
            return false;
        auto error = text ? std::nullopt : m_script->loopError(argument.name, first);
        if (!text && !error)
            error = m_script->branchError(argument.name, first);
        if (!text) {
            const TextPosition position = positionIn(m_script->text(), m_script->placeOf(first).begin);
            const auto unknown = errorAt(
                position, "The value of {} is {}, which only running the script tells; write the number.",
                argument.name, m_script->text().substr(first.begin, first.end - first.begin));
            result.open.emplace_back(position, error.value_or(unknown));
        }
        std::string written = text.value_or(m_script->textAsWritten(first));
        result.dividesBatch = result.dividesBatch || (isPartOfBatch(key) && m_script->isAssumed(first));
        std::ranges::replace_if(
            written, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
        const bool isRaw = isPlainText(written) || isFlow(written, isSetting);
        addSegment(isRaw ? written : quotedJson(written), argument, &first);
        return true;
    }

    /// Merges the config that the command names into the document.
    void mergeConfig(const ShellRun& run, ScriptArguments& result)
    {
        if (!run.config || !m_source.file)
            return;
        const auto path = m_script->valueOf(*run.config);
        const ShellPlace place = m_script->placeOf(*run.config);
        const SourceLocation location{.key = path.value_or(m_script->textAsWritten(*run.config)),
                                      .position = positionIn(m_script->text(), run.config->begin)};
        const auto text = path ? m_source.file(*path) : std::nullopt;
        if (!text || !isMapping(*text)) {
            // JSON may be data.
            if (!location.key.ends_with(".json"))
                result.missingConfig = location;
            return;
        }
        m_text += "<<:\n";
        m_values.emplace(m_text.size(), WrittenValue{.argument = run.arguments.back(), .isOfConfig = true});
        const std::size_t begin = m_text.size();
        for (std::size_t line = 0; line < text->size(); line = nextLine(*text, line)) {
            const std::string_view content =
                std::string_view(*text).substr(line, lineEnd(*text, line) - line);
            if (!content.starts_with("---"))
                m_text.append("  ").append(content).append("\n");
        }
        m_segments.push_back({.begin = begin,
                              .end = m_text.size(),
                              .textBegin = place.begin,
                              .textEnd = place.end,
                              .isCopy = false,
                              .valueBegin = run.config->begin});
    }

    void addSegment(const std::string& text, const ShellArgument& argument, const ShellWord* word)
    {
        const ShellPlace place =
            word ? m_script->placeOf(*word) : ShellPlace{.begin = argument.begin, .end = argument.end};
        m_values.emplace(m_text.size(), WrittenValue{.argument = &argument, .word = word});
        m_segments.push_back({.begin = m_text.size(),
                              .end = m_text.size() + text.size(),
                              .textBegin = place.begin,
                              .textEnd = place.end,
                              .isCopy = false,
                              .valueBegin = place.begin});
        m_text += text;
    }

    ScriptSource m_source;
    std::shared_ptr<const ShellScript> m_script;
    std::string m_text;
    std::vector<OriginSegment> m_segments;
    std::map<std::size_t, WrittenValue> m_values;
};

} // namespace

namespace {

/// Whether a text is a batch file of Windows: it continues lines with ^, or begins as none of a shell does.
bool isBatchFile(std::string_view text)
{
    const std::string first = lowerCase(std::string(text.substr(0, text.find('\n'))));
    return text.find("^\r\n") != std::string_view::npos || text.find(" ^\n") != std::string_view::npos ||
           first.starts_with("@echo") || first.starts_with("rem ") || first.starts_with("@rem ");
}

/// Writes a batch file as a shell script with each value at its place: ^ at the end of a line as a backslash,
/// %NAME% as $NAME, "set" as "env", "rem" as a comment.
std::string fromBatchFile(std::string text)
{
    for (std::size_t line = 0; line < text.size(); line = nextLine(text, line)) {
        const std::size_t begin = std::min(text.find_first_not_of(" \t@", line), text.size());
        const std::string word = lowerCase(text.substr(begin, 4));
        if (word == "set ") {
            // set "NAME=value" assigns what is between the quotation marks.
            text.replace(begin, 3, "env");
            const std::size_t quote = text.find_first_not_of(' ', begin + 3);
            const std::size_t close = text.rfind('"', lineEnd(text, line));
            if (quote < text.size() && text[quote] == '"' && close != std::string::npos && close > quote)
                text[quote] = text[close] = ' ';
        } else if (word == "rem " || word.starts_with("::"))
            text[begin] = '#';
        const std::size_t end = lineEnd(text, line);
        if (end > line && text[end - 1] == '^')
            text[end - 1] = '\\';
    }
    for (std::size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + 1)) {
        const std::size_t size = shellNameSize(std::string_view(text).substr(at + 1));
        const std::size_t end = at + 1 + size;
        if (size > 0 && end < text.size() && text[end] == '%') {
            text[at] = '$';
            text[end] = ' ';
        }
    }
    return text;
}

/// Whether a text is a Makefile: it has a rule, "name: prerequisites", with a command below that begins with
/// a tab.
bool isMakefile(std::string_view text)
{
    for (std::size_t tab = text.find("\n\t"); tab != std::string_view::npos;
         tab = text.find("\n\t", tab + 1)) {
        const std::size_t end = tab > 0 && text[tab - 1] == '\r' ? tab - 1 : tab;
        const std::string_view rule = text.substr(lineBegin(text, end), end - lineBegin(text, end));
        const std::size_t colon = rule.find(':');
        if (shellNameSize(rule) > 0 && colon != std::string_view::npos &&
            rule.find('=') == std::string_view::npos &&
            rule.substr(0, colon).find_first_of(" '\"$(") == std::string_view::npos)
            return true;
    }
    return false;
}

/// Writes a Makefile as a shell script with each value at its place: $(NAME) as ${NAME}, "NAME ?= 4" as an
/// assignment, without the marks before commands.
std::string fromMakefile(std::string text)
{
    for (std::size_t at = text.find("$("); at != std::string::npos; at = text.find("$(", at + 2)) {
        const std::size_t end = at + 2 + shellNameSize(std::string_view(text).substr(at + 2));
        if (end > at + 2 && end < text.size() && text[end] == ')') {
            text[at + 1] = '{';
            text[end] = '}';
        }
    }
    for (std::size_t line = 0; line < text.size(); line = nextLine(text, line)) {
        const std::size_t size = shellNameSize(std::string_view(text).substr(line));
        const std::size_t sign = std::min(text.find_first_not_of(" \t", line + size), text.size());
        const std::size_t equals = std::min(text.find_first_not_of("?:+", sign), text.size());
        const std::size_t value = equals < text.size() && text[equals] == '='
                                      ? std::min(text.find_first_not_of(" \t", equals + 1), text.size())
                                      : 0;
        const std::size_t mark = std::min(text.find_first_not_of(" \t", line), text.size());
        if (size > 0 && value > 0 && value < lineEnd(text, line)) {
            const std::string assignment = text.substr(line, size) + "=";
            text.replace(line, value - line, std::string(value - line - assignment.size(), ' ') + assignment);
        } else if (mark > line && mark < text.size() &&
                   (text[mark] == '@' || (text[mark] == '-' && text.substr(mark, 2) != "--"))) {
            text[mark] = ' ';
        }
    }
    return text;
}

} // namespace

ScriptSource scriptSource(const std::string& text)
{
    const bool isBatch = isBatchFile(text);
    const std::string shell = isBatch ? fromBatchFile(text) : isMakefile(text) ? fromMakefile(text) : text;
    ScriptSource source{
        .text = text, .script = std::make_shared<const ShellScript>(shell), .reread = scriptSource};
    if (isBatch) {
        source.asWritten = [](TextPiece piece) {
            std::ranges::replace(piece.text, '\\', '^');
            return piece;
        };
    }
    return source;
}

std::vector<ScriptArguments> scriptArguments(const ScriptSource& source)
{
    std::vector<ScriptArguments> found;
    const std::vector<ShellRun> runs = source.script->runs();
    // Each document holds a copy of the text. No script starts more programs than this.
    constexpr std::size_t maxRuns = 64;
    for (std::size_t i = 0; i < std::min(runs.size(), maxRuns); ++i) {
        ScriptArguments arguments = DocumentWriter(source).write(runs[i], i);
        if (arguments.document)
            found.push_back(std::move(arguments));
    }
    return found;
}

bool setsTrainSize(const ScriptArguments& arguments)
{
    const auto root = ConfigSection::root(*arguments.document);
    const auto keys = root ? root->keys() : std::vector<std::string_view>();
    return std::ranges::any_of(keys, [](std::string_view key) {
        return key.find("batch_size") != std::string_view::npos && key.find("eval") == std::string_view::npos;
    });
}

ConfigError cutOffError(const ScriptArguments& arguments)
{
    return errorAt(
        arguments.cutOff.value_or(TextPosition{}),
        "The options from here on are passed to no program: the command above ends before them, at "
        "a comment, at blanks behind a backslash, or at a line without one. Join them to the "
        "command.");
}

namespace {

ShellWord wordOf(const ShellPiece& piece)
{
    return {.begin = piece.begin, .end = piece.end, .pieces = {piece}};
}

/// Returns a piece of a here-document as the config has it. Nothing is known of a value that only a run
/// determines: one that fills lines of its own is left out, any other stays as it is written.
std::string expanded(const ShellScript& script, const ShellPiece& piece)
{
    if (const auto value = script.valueOf(wordOf(piece)))
        return *value;
    const std::string_view text = script.text();
    const bool isLine = lineBegin(text, piece.begin) == piece.begin && lineEnd(text, piece.end) == piece.end;
    if (isLine)
        return {};
    if (piece.kind == Kind::Variable)
        return "$" + piece.text;
    // "$1" is a word in YAML too; other texts may mean something there.
    const bool isWord = piece.text.starts_with('$') && isPlainText(piece.text.substr(1));
    return isWord ? piece.text : "$" + std::to_string(piece.begin);
}

/// Appends the bytes of a piece but the tabs at the beginnings of lines, with a segment for each line.
void appendWithoutTabs(std::string_view script, const ShellPiece& piece, std::string& text,
                       std::vector<OriginSegment>& segments)
{
    for (std::size_t at = piece.begin; at < piece.end;) {
        const bool isLineBegin = at == 0 || script[at - 1] == '\n';
        if (isLineBegin)
            at = std::min(script.find_first_not_of('\t', at), piece.end);
        const std::size_t end = std::min(nextLine(script, at), piece.end);
        segments.push_back({.begin = text.size(),
                            .end = text.size() + (end - at),
                            .textBegin = at,
                            .textEnd = end,
                            .valueBegin = at});
        text += script.substr(at, end - at);
        at = end;
    }
}

} // namespace

std::shared_ptr<const YamlDocument> hereDocument(const ScriptSource& source, std::size_t index)
{
    const std::shared_ptr<const ShellScript> script = source.script;
    const ShellHereDocument& written = script->words().hereDocuments.at(index);
    auto origin = std::make_shared<DocumentOrigin>(DocumentOrigin{.text = source.text});
    std::vector<ShellPiece> pieces;
    if (written.isExpanded)
        pieces = hereDocumentPieces(script->text(), written);
    else
        pieces.push_back({.text = script->text().substr(written.begin, written.end - written.begin),
                          .begin = written.begin,
                          .end = written.end});
    std::string text;
    for (const ShellPiece& piece : pieces) {
        const bool isCopy = piece.kind == Kind::Literal && piece.text.size() == piece.end - piece.begin;
        if (isCopy && written.stripsTabs) {
            appendWithoutTabs(script->text(), piece, text, origin->segments);
            continue;
        }
        const std::string part = isCopy ? piece.text : expanded(*script, piece);
        origin->segments.push_back({.begin = text.size(),
                                    .end = text.size() + part.size(),
                                    .textBegin = piece.begin,
                                    .textEnd = piece.end,
                                    .isCopy = isCopy,
                                    .valueBegin = script->placeOf(wordOf(piece)).begin});
        text += part;
    }
    origin->replace = [script, pieces](const OriginSegment& segment, const std::string& value) {
        const auto piece = std::ranges::find(pieces, segment.textBegin, &ShellPiece::begin);
        return argumentChange(*script, {.name = "the config"}, wordOf(*piece), value);
    };
    origin->reread = [reread = source.reread, index](const std::string& changed) {
        return hereDocument(reread(changed), index);
    };
    return std::make_shared<const YamlDocument>(std::move(text), std::move(origin));
}

} // namespace batchpeak::config
