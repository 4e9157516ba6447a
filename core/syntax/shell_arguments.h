// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shell_script.h"
#include "yaml_document.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace batchpeak::config {

/// The options of a command as a document, so that a config by options is read as one in a file. It decides
/// how an option becomes an entry: "--max-length 8" is max_length: 8, "data.max_length=8" the entry
/// max_length of data, and an option without a value is true. What the entries mean is decided elsewhere.
///
/// A config that the command names ("train.py config.yaml", "--config config.yaml") sets what the options do
/// not: it is merged into the document (<<).
///
/// An option whose value only a run of the script would determine is left out, but one that is part of a
/// batch stays as it is written, since no default may take its place.

/// A script, and the text that it stands in or is written in.
struct ScriptSource
{
    /// The text of the file, with each byte of the script at the same place.
    std::string text;
    std::shared_ptr<const ShellScript> script;
    /// Reads the script of a changed text in the same way.
    std::function<ScriptSource(const std::string& text)> reread;
    /// Returns the text of another file that a command names; empty to read none.
    std::function<std::optional<std::string>(const std::string& path)> file = {};
    /// Converts an inserted argument into the syntax of the text; empty if that is the shell's.
    std::function<TextPiece(const TextPiece& inserted)> asWritten = {};
};

/// Returns a script that is a text of its own, in the syntax of a shell, of a batch file of Windows, or of a
/// Makefile.
ScriptSource scriptSource(const std::string& text);

/// The options of one command.
struct ScriptArguments
{
    std::shared_ptr<const YamlDocument> document;
    /// ShellRun::words.
    std::string words;
    /// Options that were left out, and the positions of their values.
    std::vector<SourceLocation> unknown = {};
    /// Why parts of the batch have no one value, with the positions of these.
    std::vector<std::pair<TextPosition, ConfigError>> open = {};
    /// Whether the script calculates a part of the batch with a number of processes that only a run tells.
    bool dividesBatch = false;
    /// The config that the command names and that was not found, which may set what its options do not.
    std::optional<SourceLocation> missingConfig = {};
    /// The first option, if the command consists of options alone, so that they are passed to no program.
    std::optional<TextPosition> cutOff = {};
    /// ShellRun::isList.
    bool isList = false;
};

/// Returns the options of each command of a script that has any.
std::vector<ScriptArguments> scriptArguments(const ScriptSource& source);

/// Whether the options set a size of training, by their names.
bool setsTrainSize(const ScriptArguments& arguments);
/// Returns why options that are passed to no program cannot be read.
ConfigError cutOffError(const ScriptArguments& arguments);

/// Returns a config that a script writes by a here-document, with the values of its variables.
/// \param index  index of the here-document in ShellWords::hereDocuments
/// \throws ConfigError if its text is neither YAML nor JSON
std::shared_ptr<const YamlDocument> hereDocument(const ScriptSource& source, std::size_t index);

} // namespace batchpeak::config
