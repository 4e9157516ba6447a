// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace batchpeak::config {

/// A network as a config names it.
struct NetworkName
{
    /// An id of the Hugging Face hub, or the path of a folder or a file.
    std::string name;
    /// Branch, tag or commit of an id; empty for the default one.
    std::string revision = {};

    bool operator==(const NetworkName&) const = default;
};

/// A file that describes a network: its config.json, the params.json of a checkpoint, or any config.
struct NetworkFile
{
    /// Path of the file, for messages.
    std::string path;
    std::string text;
};

/// What was found for the name of a network.
struct NetworkLookup
{
    std::optional<NetworkFile> file;
    /// The last name of the chain: the name of the base network if the first name is that of an adapter.
    std::string name;
    /// Text of the adapter_config.json that leads from the first name to the last; empty if there is none.
    std::string adapter = {};
    /// The places that were searched, as noun phrases, if no file was found.
    std::vector<std::string> places = {};
    /// Whether the name can be that of a network of a hub, if no file was found.
    bool isId = false;
    /// Why the file that was found cannot be used, as a full sentence; empty if nothing was found.
    std::string problem = {};
};

/// Looks up what a config names outside of its text, such as on disk. It is called while a config is read. If
/// it is empty, only the table of well-known networks is searched, and no other file is read.
class NetworkSource
{
public:
    using Find = std::function<NetworkLookup(const NetworkName&)>;
    /// Returns another file that the config names, or nothing.
    using Read = std::function<std::optional<NetworkFile>(const std::string& path)>;

    NetworkSource() = default;
    template<typename Finder, typename = std::enable_if_t<std::is_invocable_v<Finder&, const NetworkName&>>>
    NetworkSource(Finder find, Read read = {}) : m_find(std::move(find)), m_read(std::move(read))
    {}

    explicit operator bool() const { return static_cast<bool>(m_find); }
    NetworkLookup operator()(const NetworkName& name) const { return m_find(name); }
    std::optional<NetworkFile> file(const std::string& path) const
    {
        return m_read ? m_read(path) : std::nullopt;
    }

private:
    Find m_find;
    Read m_read;
};

/// Returns the places as an enumeration: "/data/x, /home/y or the Hugging Face cache (/home/z)".
std::string listedPlaces(const std::vector<std::string>& places);

/// Returns the base network that the adapter_config.json of an adapter names (base_model_name_or_path and
/// revision of PeftConfig in PEFT 0.18, config.py).
/// \throws ConfigError if the text is no such file, or names no base network
NetworkName baseOfAdapter(const std::string& adapterConfig);

} // namespace batchpeak::config
