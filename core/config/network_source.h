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
    /// Branch, tag or commit of an id; empty for the usual one.
    std::string revision = {};

    bool operator==(const NetworkName&) const = default;
};

/// A file that describes a network: its config.json, the params.json of a checkpoint, or any config.
struct NetworkFile
{
    /// For people.
    std::string path;
    std::string text;
};

/// What is there of a network that is named.
struct NetworkLookup
{
    std::optional<NetworkFile> file;
    /// The name at the end of the way: that of the base network where the first name is an adapter's.
    std::string name;
    /// The text of the adapter_config.json that led from the first name to the last; empty for none.
    std::string adapter = {};
    /// Where there is no file: the places that were looked in, as noun phrases.
    std::vector<std::string> places = {};
    /// Why what is there is of no use, as a full sentence; empty where nothing is there.
    std::string problem = {};
};

/// Looks up networks outside a config's text, such as on disk. It is asked while a config is read, and may be
/// empty: then nothing but the table of well-known networks is asked.
using NetworkSource = std::function<NetworkLookup(const NetworkName&)>;

/// "/data/x, /home/y or the Hugging Face cache (/home/z)"
std::string listedPlaces(const std::vector<std::string>& places);

/// The base network that the adapter_config.json of an adapter names (base_model_name_or_path and revision of
/// PeftConfig in PEFT 0.18, config.py).
/// \throws ConfigError where the text is no such file, or names none
NetworkName baseOfAdapter(const std::string& adapterConfig);

} // namespace batchpeak::config
