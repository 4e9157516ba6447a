// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <string>
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
    /// Why the file that was found cannot be used, as a full sentence; empty if nothing was found.
    std::string problem = {};
};

/// Looks up networks outside a config's text, such as on disk. It is called while a config is read. If it is
/// empty, only the table of well-known networks is searched.
using NetworkSource = std::function<NetworkLookup(const NetworkName&)>;

/// Returns the places as an enumeration: "/data/x, /home/y or the Hugging Face cache (/home/z)".
std::string listedPlaces(const std::vector<std::string>& places);

/// Returns the base network that the adapter_config.json of an adapter names (base_model_name_or_path and
/// revision of PeftConfig in PEFT 0.18, config.py).
/// \throws ConfigError if the text is no such file, or names no base network
NetworkName baseOfAdapter(const std::string& adapterConfig);

} // namespace batchpeak::config
