// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_output.h"

#include "usage_error.h"

#include <CLI/App.hpp>

#include <QSaveFile>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace batchpeak::cli {

void addOutputOptions(CLI::App& app, std::string& output, bool& inPlace)
{
    app.add_option("--output", output, "File to write the config with the size to")->type_name("FILE");
    app.add_flag("--in-place", inPlace, "Write the size into FILE itself");
}

void checkOutputOptions(const std::string& output, bool inPlace)
{
    if (!output.empty() && inPlace)
        throw UsageError("--output and --in-place exclude each other; keep the one that you mean.");
}

QString outputPath(const engine::ConfigFile& file, const std::string& output, bool inPlace)
{
    return inPlace ? file.path() : QString::fromStdString(output);
}

void checkWritable(const QString& path)
{
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly)) {
        throw UsageError(
            QStringLiteral("%1 cannot be written: %2. Name another file, or make this one writable.")
                .arg(path, file.errorString())
                .toStdString());
    }
    file.cancelWriting();
}

void printBytes(const std::string& text)
{
    errno = 0;
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
        throw UsageError(std::string("the config could not be written to stdout: ") + std::strerror(errno) +
                         ".");
}

} // namespace batchpeak::cli
