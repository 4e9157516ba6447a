// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "command.h"
#include "config/format_guide.h"
#include "console.h"
#include "options.h"
#include "words/json_output.h"
#include "words/terminal_text.h"

#include <QJsonArray>
#include <QJsonObject>

namespace batchpeak::cli {

namespace {

using config::FormatGuide;

QString plain(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QStringList keysWritten(const FormatGuide& guide)
{
    return plain(guide.writes).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

QStringList linesOf(const FormatGuide& guide)
{
    const QString written = guide.writes.empty() ? QStringLiteral("nothing: it describes only a network")
                                                 : keysWritten(guide).join(QStringLiteral(", "));
    QStringList lines{plain(guide.name)};
    for (const QString& line : alignedLines({{QStringLiteral("recognized by"), plain(guide.mark)},
                                             {QStringLiteral("network from"), plain(guide.network)},
                                             {QStringLiteral("writes"), written},
                                             {QStringLiteral("example"), plain(guide.example)}}))
        lines << QStringLiteral("  ") + line;
    return lines;
}

QJsonObject objectOf(const FormatGuide& guide)
{
    return {{QStringLiteral("name"), plain(guide.name)},
            {QStringLiteral("recognised_by"), plain(guide.mark)},
            {QStringLiteral("network_from"), plain(guide.network)},
            {QStringLiteral("keys_written"), QJsonArray::fromStringList(keysWritten(guide))},
            {QStringLiteral("example"), plain(guide.example)}};
}

class FormatsCommand : public Command
{
public:
    std::string name() const override { return "formats"; }
    std::string summary() const override
    {
        return "List the config formats: how each is recognized, and which key takes the size";
    }
    void addOptions(Options& options) override { addJsonOption(options, m_asJson); }
    void checkOptions() const override {}
    int run() override;

private:
    bool m_asJson = false;
};

int FormatsCommand::run()
{
    if (m_asJson) {
        QJsonArray formats;
        for (const FormatGuide& guide : config::formatGuides())
            formats.append(objectOf(guide));
        printJson({{QStringLiteral("formats"), formats}});
        return exitCode::success;
    }
    Console console;
    for (const FormatGuide& guide : config::formatGuides())
        console.answer(linesOf(guide));
    return exitCode::success;
}

} // namespace

std::unique_ptr<Command> makeFormatsCommand()
{
    return std::make_unique<FormatsCommand>();
}

} // namespace batchpeak::cli
