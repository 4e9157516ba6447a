// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "options/exploration_options.h"
#include "saved_file.h"

#include <QString>

#include <memory>
#include <vector>

namespace batchpeak::engine {

/// A config on disk: the one place that reads and writes such files.
///
/// A network that the config only names is looked up on this computer (network_files.h). What stands in the
/// file is core/config's business. Here sizes are limited before reading, a file is replaced as
/// replaceFile() does it (saved_file.h), and it is not overwritten when it changed on disk since it was read.
/// Another file in its place that holds the same is as good, since editors save so.
class ConfigFile
{
public:
    /// \throws config::ConfigError as a full sentence, prefixed "path:line:column: " where there is a place
    static ConfigFile open(const QString& path);
    /// The config that the file held when that was its text; it need not be there any more.
    /// \throws as open()
    static ConfigFile fromText(const QString& path, const std::string& text);

    const QString& path() const { return m_path; }
    const config::ConfigContents& contents() const { return m_contents; }
    /// The same as the user's Python runs it.
    const config::ConfigContents& contentsForPython() const;
    /// The same for the program that the options run trials with.
    const config::ConfigContents& contentsFor(const ExplorationOptions& options) const;
    /// The user's Python may run its network, and batchpeak-worker cannot.
    bool isForPythonAlone() const;
    /// The text of the file as it was read.
    const std::string& text() const { return m_text; }

    /// The same config with another network in place of its own, or of one that was chosen before: that of
    /// another config in any format that has one, as a Hugging Face config.json (also by the folder that it
    /// is in), or that of an id of the hub ("meta-llama/Llama-3.2-1B") where there is no such file, from the
    /// user's cache of the hub or the table of well-known networks. What belongs to the run stays.
    ///
    /// \throws config::ConfigError prefixed with where it is: in that file, or in this one
    ConfigFile withModel(const QString& fileOrId) const;
    /// Where the network comes from: the path of a file, or an id; empty for the config's own.
    QString modelSource() const { return QString::fromStdString(m_contents.modelSource); }
    /// The network that was asked for in place of the config's; empty for none.
    const QString& chosenModel() const { return m_chosenModel; }

    /// The text with that size in it; nothing is written.
    /// \throws config::BatchNotKept where the config can keep its batch with no such size, prefixed as above
    /// \throws config::ConfigError prefixed as above
    config::SplicedText withMicroBatchSize(const config::ChosenSize& chosen) const;
    /// The same with one size after the other, as of training and of evaluation. \param chosen  at least one
    config::SplicedText withMicroBatchSizes(const std::vector<config::ChosenSize>& chosen) const;

    /// What save() would change in the config as it was read, as a unified diff; nothing is written.
    /// \throws config::ConfigError where the config has changed on disk since it was read
    QString changeIn(const config::SplicedText& spliced, const QString& path) const;

    /// Writes \p spliced to \p path, as replaceFile() does it.
    /// \return why it was written in place, as WayToWrite has it; empty where it was not
    /// \throws config::ConfigError with the system's reason (read-only, full disk, changed since read)
    QString save(const config::SplicedText& spliced, const QString& path,
                 InPlace inPlace = InPlace::WhereNeeded) const;

    /// The file is there and holds what was read.
    bool isUnchanged() const;

private:
    ConfigFile() = default;
    store::FileIdentity requireUnchanged() const;
    void setContents(config::ConfigContents forPython);

    QString m_path;
    QString m_chosenModel;
    std::string m_text;
    config::NetworkSource m_networks;
    std::shared_ptr<const config::ConfigDocument> m_format;
    config::ConfigContents m_contents;
    config::ConfigContents m_contentsForPython;
};

} // namespace batchpeak::engine
