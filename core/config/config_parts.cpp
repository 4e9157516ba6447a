// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "format.h"
#include "syntax/shell_arguments.h"
#include "syntax/text_check.h"
#include "syntax/toml_document.h"
#include "syntax/words.h"
#include "unmodeled_features.h"

#include <algorithm>

namespace batchpeak::config {

/// The configs in a text that is none itself: a script, TOML, the manifest of a launcher.
namespace {

/// Number of scripts in a manifest, or of here-documents in a script, that are looked at. Each takes a pass
/// over the text, and no real file has so many.
constexpr std::size_t maxPieces = 32;

/// Returns the text with blanks in place of all bytes but some; line ends stay.
std::string masked(std::string_view text, std::size_t begin, std::size_t end)
{
    std::string result(text);
    for (std::size_t i = 0; i < result.size(); ++i) {
        if ((i < begin || i >= end) && result[i] != '\n' && result[i] != '\r')
            result[i] = ' ';
    }
    return result;
}

/// Whether a text is a program in Python, by its first line or the first one that is no comment.
bool isPython(std::string_view text)
{
    if (text.starts_with("#!"))
        return text.substr(0, lineEnd(text, 0)).find("python") != std::string_view::npos;
    for (std::size_t line = lineBegin(text, 0); line < text.size(); line = nextLine(text, line)) {
        const std::string_view content = text.substr(line, lineEnd(text, line) - line);
        const std::string_view word = content.substr(0, content.find(' '));
        if (!word.empty() && !word.starts_with('#'))
            return isAmong(word, "import from") || word.starts_with("\"\"\"");
    }
    return false;
}

using Parts = std::vector<std::shared_ptr<const ConfigText>>;

Launch launchOf(const ShellScript& script, std::string words, bool dividesBatch)
{
    return {.words = std::move(words),
            .processes = script.processes(),
            .place = script.placeOfProcesses(),
            .dividesBatch = dividesBatch};
}

/// Warns of options that a blank behind a backslash cuts off.
void warnOfCutOptions(const ShellScript& script, std::vector<Warning>& warnings)
{
    const std::string& text = script.text();
    for (std::size_t at = text.find('\\'); at != std::string::npos; at = text.find('\\', at + 1)) {
        const std::size_t end = std::min(text.find_first_not_of(" \t\r", at + 1), text.size());
        const std::size_t next = std::min(text.find_first_not_of(" \t\r\n", end), text.size());
        const bool isCut = end > at + 1 && text[end] == '\n' && text.substr(at + 1, end - at - 1) != "\r" &&
                           text.substr(next, 2) == "--";
        if (isCut) {
            warn(warnings, positionIn(text, at),
                 "Blanks follow this backslash, so the command ends here, and the options below are not "
                 "passed to it; "
                 "remove the blanks.");
        }
    }
}

/// Whether an option may decide what a trial measures, by its name.
bool maySetRun(std::string_view name)
{
    constexpr std::string_view parts =
        "batch accum length len model lr rate precision bf16 fp16 lora optim checkpoint layers size";
    return std::ranges::any_of(splitWords(parts), [name](std::string_view part) {
        return name.find(part) != std::string_view::npos;
    });
}

/// Reads the number of processes from the file that `accelerate launch --config_file` names.
void takeAccelerateFile(const ShellScript& script, const NetworkSource& networks, Launch& launch)
{
    const auto path = script.value("--config-file");
    if (launch.processes || !path || launch.words.find("accelerate") == std::string::npos)
        return;
    try {
        const auto file = networks.file(*path);
        const YamlDocument document(file ? file->text : std::string());
        const auto root = ConfigSection::root(document);
        const auto count = root ? root->integer("num_processes") : std::nullopt;
        const auto position = script.valuePositionOf("--config-file");
        if (!count || *count < 1)
            return;
        launch.processes = count;
        launch.place = SourceLocation{.key = "num_processes of --config-file",
                                      .position = position.value_or(TextPosition{})};
    } catch (const ConfigError&) {
        // A file that is no config says nothing.
    }
}

/// \param processes  number of processes if the script does not say it
void addScript(ScriptSource source, const NetworkSource& networks, Parts& parts,
               std::optional<std::int64_t> processes = std::nullopt)
{
    source.file = [networks](const std::string& path) {
        const auto file = networks.file(path);
        return file ? std::optional(file->text) : std::nullopt;
    };
    const std::vector<ScriptArguments> runs = scriptArguments(source);
    // A text may consist of options alone.
    const bool hasCommand =
        std::ranges::any_of(runs, [](const ScriptArguments& run) { return !run.cutOff.has_value(); });
    std::vector<Warning> ofAllRuns;
    warnOfCutOptions(*source.script, ofAllRuns);
    for (const ScriptArguments& run : runs) {
        if (run.cutOff && hasCommand && !run.isList) {
            warn(ofAllRuns, *run.cutOff,
                 "The options from here on are passed to no program: the command above ends before them.");
        }
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const ScriptArguments& run = runs[i];
        if (run.cutOff && hasCommand)
            continue;
        Launch launch = launchOf(*source.script, run.words, run.dividesBatch);
        takeAccelerateFile(*source.script, networks, launch);
        if (!launch.processes)
            launch.processes = processes;
        launch.warnings = ofAllRuns;
        launch.open = run.open;
        const ScriptArguments* next = i + 1 < runs.size() ? &runs[i + 1] : nullptr;
        if (next && next->cutOff && !next->isList && setsTrainSize(*next) && !setsTrainSize(run))
            launch.cutSize = cutOffError(*next);
        if (run.missingConfig) {
            warn(launch.warnings, run.missingConfig->position,
                 "The config {}, which the command reads, is not found, so what it sets is not read: figures "
                 "here are those of the options alone. Open the script where that file is.",
                 run.missingConfig->key);
        }
        for (const SourceLocation& unknown : run.unknown) {
            if (!maySetRun(unknown.key))
                continue;
            warn(launch.warnings, unknown.position,
                 "Only running the script tells the value of {}; it is not read.", unknown.key);
        }
        parts.push_back(std::make_shared<const ConfigText>(run.document, networks, std::move(launch)));
    }
    const std::size_t written = source.script->words().hereDocuments.size();
    for (std::size_t i = 0; i < std::min(written, maxPieces); ++i) {
        try {
            parts.push_back(std::make_shared<const ConfigText>(
                hereDocument(source, i), networks, launchOf(*source.script, "a config in a script", false)));
        } catch (const ConfigError&) {
            // It is a program, or a text of another kind.
            continue;
        }
    }
}

/// Returns the part of a YAML text that is a mapping in it.
std::shared_ptr<const YamlDocument> mappingOf(const std::string& text, std::size_t index)
{
    const YamlDocument whole(text);
    const YamlNode& node = whole.nodes().at(index);
    const std::string part = masked(text, lineBegin(text, node.begin), node.end);
    auto origin = std::make_shared<DocumentOrigin>(
        DocumentOrigin{.text = text,
                       .segments = {{.end = text.size(), .textEnd = text.size()}},
                       .reread = [index](const std::string& changed) { return mappingOf(changed, index); }});
    return std::make_shared<const YamlDocument>(part, std::move(origin));
}

/// Whether a scalar is a block of lines: "|" or ">".
bool isBlock(const YamlDocument& document, const YamlNode& node)
{
    const char mark = node.begin < document.text().size() ? document.text()[node.begin] : '\0';
    return node.kind == NodeKind::Scalar && (mark == '|' || mark == '>') &&
           node.value.find('\n') != std::string::npos;
}

/// Whether a scalar is a command on one line, such as what follows ["bash", "-c"].
bool isCommandLine(const YamlDocument& document, const YamlNode& node)
{
    const std::string_view written =
        std::string_view(document.text()).substr(node.begin, node.end - node.begin);
    return node.kind == NodeKind::Scalar && !isBlock(document, node) &&
           node.value.find(" --") != std::string::npos &&
           written.find_first_of("\\\n") == std::string_view::npos;
}

/// Returns the script in a YAML text that is a block of lines, a command, or a list of a command's words.
ScriptSource embeddedScript(const std::string& text, std::size_t index)
{
    const YamlDocument whole(text);
    const YamlNode& node = whole.nodes().at(index);
    const bool isList = node.kind == NodeKind::Sequence;
    ScriptSource source{.text = text, .reread = [index](const std::string& changed) {
                            return embeddedScript(changed, index);
                        }};
    if (!isList && isBlock(whole, node)) {
        // The first line has the mark of the block.
        source.script =
            std::make_shared<const ShellScript>(masked(text, nextLine(text, node.begin), node.end));
        return source;
    }
    if (!isList) {
        const std::size_t quotes = node.plain ? 0 : 1;
        source.script =
            std::make_shared<const ShellScript>(masked(text, node.begin + quotes, node.end - quotes));
        return source;
    }
    std::string words(text.size(), ' ');
    for (const YamlNode* item : node.children)
        words.replace(item->begin, item->end - item->begin, text, item->begin, item->end - item->begin);
    source.script = std::make_shared<const ShellScript>(words);
    source.asWritten = [text, isFlow = node.flow](TextPiece piece) {
        // An inserted option becomes one item, "--name=value", before the item that it was inserted at.
        std::string item = piece.text.substr(0, piece.text.find_last_not_of(" \n") + 1);
        std::ranges::replace(item, ' ', '=');
        const std::size_t line = lineBegin(text, piece.begin);
        const std::string lineBreak = text.substr(lineEnd(text, line)).starts_with("\r\n") ? "\r\n" : "\n";
        if (isFlow)
            piece.text = "\"" + item + "\", ";
        else
            piece = {line, line, text.substr(line, text.find('-', line) - line) + "- " + item + lineBreak};
        return piece;
    };
    return source;
}

bool isCommand(const YamlNode& node)
{
    if (node.kind != NodeKind::Sequence || node.children.size() < 2)
        return false;
    const auto isWord = [](const YamlNode* item) { return item->kind == NodeKind::Scalar; };
    const auto isOption = [](const YamlNode* item) { return item->value.starts_with("--"); };
    return std::ranges::all_of(node.children, isWord) && std::ranges::any_of(node.children, isOption);
}

/// Returns the number of processes that a PyTorchJob of Kubeflow starts without options of torchrun
/// (pkg/controller.v1/pytorch/envvar.go of its operator 1.8); nothing for other texts.
std::optional<std::int64_t> processesOfJob(const ConfigSection& root)
{
    const ConfigSection spec = root.sectionIfAny("spec");
    const ConfigSection replicas = spec.sectionIfAny("pytorchReplicaSpecs");
    const auto numberAt = [](const ConfigSection& section, std::string_view key) {
        const YamlNode* value = section.value(key);
        return value && value->kind == NodeKind::Scalar ? shellNumber(value->value)
                                                        : std::optional<std::int64_t>(1);
    };
    const auto each = numberAt(spec, "nprocPerNode");
    std::int64_t nodes = 0;
    for (std::string_view key : replicas.keys()) {
        const std::int64_t count = numberAt(replicas.sectionIfAny(key), "replicas").value_or(0);
        nodes += std::clamp<std::int64_t>(count, 0, model::maxDevices);
    }
    const bool isCount =
        each && *each >= 1 && nodes >= 1 && *each <= model::maxDevices && *each * nodes <= model::maxDevices;
    return isCount ? std::optional(*each * nodes) : std::nullopt;
}

/// Adds what the manifest of a job has to say to a trainer: MosaicML's `parameters`, the file that its
/// platform writes for the command; scripts; lists of a command's words.
void addManifest(const YamlDocument& document, const NetworkSource& networks, Parts& parts)
{
    const ConfigSection root = *ConfigSection::root(document);
    // A W&B sweep, which has a method, lists the values of several runs.
    if (root.hasSection("parameters") && !root.find("method") &&
        (root.find("command") || root.find("image") || root.find("compute"))) {
        const std::size_t index = root.value("parameters")->index;
        Launch launch{.words = "a config in a job's manifest"};
        const ConfigSection compute = root.sectionIfAny("compute");
        if (const auto devices = compute.placeOf("gpus")) {
            launch.processes = compute.integer("gpus");
            launch.place = devices;
        }
        parts.push_back(
            std::make_shared<const ConfigText>(mappingOf(document.text(), index), networks, launch));
    }
    const auto processes = processesOfJob(root);
    std::size_t pieces = 0;
    for (const YamlNode& node : document.nodes()) {
        if (pieces == maxPieces)
            break;
        const bool isScript = isBlock(document, node) || isCommandLine(document, node);
        if (!isCommand(node) && !(isScript && mayNameBatch(node.value)))
            continue;
        ++pieces;
        addScript(embeddedScript(document.text(), node.index), networks, parts, processes);
    }
}

} // namespace

std::vector<std::shared_ptr<const ConfigText>> partsOf(const ConfigText& text)
{
    Parts parts;
    if (text.isPart() || !mayNameBatch(text.text()) || isPython(text.text()))
        return parts;
    const bool isScript = text.text().starts_with("#!");
    if (text.root() && !isScript) {
        if (!text.document()->isJson())
            addManifest(*text.document(), text.networks(), parts);
        return parts;
    }
    if (!isScript) {
        try {
            parts.push_back(std::make_shared<const ConfigText>(tomlDocument(text.text()), text.networks()));
            return parts;
        } catch (const ConfigError&) {
            // It is not TOML.
        }
    }
    addScript(scriptSource(text.text()), text.networks(), parts);
    return parts;
}

} // namespace batchpeak::config
