// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "saved_arguments.h"

#include "option_kinds.h"
#include "option_table.h"
#include "trial/protocol.h"

#include <QFileInfo>
#include <QProcess>

#include <utility>
#include <variant>

namespace batchpeak::engine {

namespace {

/// Quotes a word so that QProcess::splitCommand() returns it as one.
QString quotedForSplit(QString word)
{
    word.replace(QLatin1Char('"'), QLatin1String("\"\"\""));
    const bool isPlain =
        !word.isEmpty() && !word.contains(QLatin1Char(' ')) && !word.contains(QLatin1Char('\t'));
    return isPlain ? word : QLatin1Char('"') + word + QLatin1Char('"');
}

/// A program without a folder is looked up in PATH. A word that equals the name of a file may mean something
/// else, unless it is a path or a script.
bool namesFile(const QString& word, bool isProgram)
{
    const bool isPath = word.contains(QLatin1Char('/'));
    const bool isScript = !isProgram && word.endsWith(QLatin1String(".py"));
    return (isPath || isScript) && QFileInfo(word).isFile();
}

QString withWholePaths(const QString& command)
{
    QStringList words = QProcess::splitCommand(command);
    bool isChanged = false;
    for (qsizetype place = 0; place < words.size(); ++place) {
        if (!namesFile(words[place], place == 0))
            continue;
        const QString path = wholePath(words[place]);
        isChanged = isChanged || path != words[place];
        words[place] = path;
    }
    if (!isChanged)
        return command;
    for (QString& word : words)
        word = quotedForSplit(word);
    return words.join(QLatin1Char(' '));
}

} // namespace

QStringList savedArguments(const ExplorationOptions& options)
{
    ExplorationOptions kept = options;
    if (!kept.sampleLengthsPath.isEmpty())
        kept.sampleLengthsPath = wholePath(kept.sampleLengthsPath);
    // Behind a launcher, a path may be one of another computer.
    if (kept.isHere())
        kept.workerCommand = withWholePaths(kept.workerCommand);
    return wordsFor(kept);
}

ExplorationOptions optionsOf(const store::ExplorationInfo& info)
{
    ExplorationOptions options = optionsFrom(info.command);
    const auto message = trial::parseParentMessage(info.loadRequest.toStdString());
    const auto* known = std::get_if<trial::ParentMessage>(&message);
    const auto* load = known ? std::get_if<trial::LoadRequest>(known) : nullptr;
    if (!load || load->sampleLengths.empty())
        return options;
    options.sampleLengths = load->sampleLengths;
    const qsizetype name = info.command.indexOf(QLatin1String("--sample-lengths"));
    if (name >= 0)
        options.sampleLengthsPath = info.command.value(name + 1);
    return options;
}

} // namespace batchpeak::engine
