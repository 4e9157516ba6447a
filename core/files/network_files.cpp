// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network_files.h"

#include "hub_cache.h"
#include "syntax/config_error.h"
#include "text/errors.h"
#include "text_file.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>

namespace batchpeak::engine {

using config::NetworkLookup;
using config::NetworkName;

namespace {

const QString adapterFile = QStringLiteral("adapter_config.json");

/// Returns the file in a folder that describes a network. The first one found counts: a config.json is what
/// from_pretrained of transformers reads (PretrainedConfig in transformers 5.23, configuration_utils.py);
/// original checkpoints of LLaMA and Mistral have a params.json.
QString descriptionIn(const QString& folder)
{
    for (const QString& name : {QStringLiteral("config.json"), QStringLiteral("params.json")}) {
        QString file = QDir(folder).filePath(name);
        if (QFileInfo::exists(file))
            return file;
    }
    return {};
}

bool isAdapter(const QString& path)
{
    return QFileInfo(path).isDir() && QFileInfo::exists(QDir(path).filePath(adapterFile));
}

/// Returns the paths that a name may stand for.
QStringList pathsOf(const QString& name, const QStringList& folders)
{
    const bool isText = std::ranges::all_of(name, [](QChar character) { return character.isPrint(); });
    if (name.isEmpty() || !isText)
        return {};
    if (name.startsWith(QLatin1String("~/")))
        return {QDir::homePath() + name.mid(1)};
    if (QDir::isAbsolutePath(name))
        return {QDir::cleanPath(name)};
    QStringList paths;
    for (const QString& folder : folders)
        paths << QDir::cleanPath(QDir(folder).absoluteFilePath(name));
    paths.removeDuplicates();
    return paths;
}

/// Whether the path is a network as configs name them: a folder, or the JSON file in it. Another file of that
/// name is something else.
bool isNamedNetwork(const QString& path)
{
    const QFileInfo info(path);
    return describesNetwork(path) && (info.isDir() || info.suffix() == QLatin1String("json"));
}

/// Path of a network, or the places where it was not found.
struct Place
{
    QString path;
    std::vector<std::string> places;
};

Place placeOf(const NetworkName& name, const QStringList& folders)
{
    Place place;
    for (const QString& path : pathsOf(QString::fromStdString(name.name), folders)) {
        if (isNamedNetwork(path))
            return {.path = path};
        place.places.push_back(path.toStdString());
    }
    const CachedNetwork cached = cachedNetwork(name);
    if (!cached.snapshot.isEmpty() && describesNetwork(cached.snapshot))
        return {.path = cached.snapshot};
    if (!cached.isId)
        return place;
    if (cached.folder.isEmpty()) {
        place.places.push_back("the Hugging Face cache (" + hubCacheFolder().toStdString() + ")");
    } else {
        place.places.push_back("the revision \"" + (name.revision.empty() ? "main" : name.revision) +
                               "\" of what the Hugging Face cache has of it (" + cached.folder.toStdString() +
                               ")");
    }
    return place;
}

/// \throws ConfigError if it cannot be read
config::NetworkFile fileAt(const QString& path)
{
    const QString file = QFileInfo(path).isDir() ? descriptionIn(path) : path;
    return {.path = file.toStdString(), .text = readTextFile(file)};
}

/// \throws ConfigError prefixed with the file
NetworkName baseIn(const QString& file, const std::string& text)
{
    try {
        return config::baseOfAdapter(text);
    } catch (const config::ConfigError& error) {
        throw located(file, error);
    }
}

/// Follows the names of adapters to a network.
/// \throws ConfigError if a file on the way cannot be read, or names nothing
void follow(NetworkName name, const QStringList& folders, NetworkLookup& lookup)
{
    // Adapters of adapters are rare, and longer chains are circular.
    constexpr int longestWay = 4;
    // Trainers store the config of the base network beside an adapter.
    QString besideAdapter;
    for (int step = 0; step < longestWay; ++step) {
        lookup.name = name.name;
        Place place = placeOf(name, folders);
        if (place.path.isEmpty() && !besideAdapter.isEmpty())
            place.path = besideAdapter;
        if (place.path.isEmpty()) {
            lookup.places = std::move(place.places);
            lookup.isId = cachedNetwork(name).isId;
            return;
        }
        if (!isAdapter(place.path)) {
            lookup.file = fileAt(place.path);
            return;
        }
        const QString file = QDir(place.path).filePath(adapterFile);
        const std::string text = readTextFile(file);
        if (lookup.adapter.empty())
            lookup.adapter = text;
        besideAdapter = descriptionIn(place.path);
        name = baseIn(file, text);
    }
    throw config::ConfigError("The adapter \"" + name.name +
                              "\" leads through further adapters to no network; check what their "
                              "adapter_config.json name as base.");
}

} // namespace

bool describesNetwork(const QString& path)
{
    const QFileInfo info(path);
    return info.isFile() || (info.isDir() && (isAdapter(path) || !descriptionIn(path).isEmpty()));
}

config::NetworkSource networkFiles(const QStringList& folders)
{
    const auto find = [folders](const NetworkName& name) {
        NetworkLookup lookup{.name = name.name};
        try {
            follow(name, folders, lookup);
        } catch (const config::ConfigError& error) {
            lookup.problem = error.what();
        }
        return lookup;
    };
    const auto read = [folders](const std::string& name) -> std::optional<config::NetworkFile> {
        for (const QString& path : pathsOf(QString::fromStdString(name), folders)) {
            if (!QFileInfo(path).isFile())
                continue;
            try {
                return config::NetworkFile{.path = path.toStdString(), .text = readTextFile(path)};
            } catch (const config::ConfigError&) {
                return std::nullopt;
            }
        }
        return std::nullopt;
    };
    return {find, read};
}

} // namespace batchpeak::engine
