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

/// A config on disk: the one class that reads and writes such files.
///
/// A network that the config only names is looked up on this computer (network_files.h). core/config
/// interprets the contents of the file. This class limits sizes before reading, and replaces a file as
/// replaceFile() does (saved_file.h). It does not overwrite a file that changed on disk since it was read.
/// Another file in its place with the same contents is accepted, since editors save in this way.
class ConfigFile
{
public:
    /// \throws config::ConfigError with a full sentence, prefixed with "path:line:column: " if there is a
    ///         position
    static ConfigFile open(const QString& path);
    /// Returns the config that the file contained when its text was \p text; the file need not exist any
    /// more.
    /// \throws config::ConfigError as open()
    static ConfigFile fromText(const QString& path, const std::string& text);

    const QString& path() const { return m_path; }
    const config::ConfigContents& contents() const { return m_contents; }
    /// Returns the contents as the user's Python runs them.
    const config::ConfigContents& contentsForPython() const;
    /// Returns the contents for the program that runs the trials according to the options.
    const config::ConfigContents& contentsFor(const ExplorationOptions& options) const;
    /// Whether the user's Python may run its network, and batchpeak-worker cannot.
    bool isForPythonAlone() const;
    /// Returns the network of a hub that is not on this computer, if that is why no trial can run.
    std::optional<config::NetworkName> missingNetwork() const;
    /// Text of the file as it was read.
    const std::string& text() const { return m_text; }

    /// Returns the same config with another network in place of its own, or of one that was chosen before.
    /// The other network is that of another config in any format that has one, such as a Hugging Face
    /// config.json (also given by its folder). If there is no such file, it is that of an id of the hub
    /// ("meta-llama/Llama-3.2-1B"), from the user's cache of the hub or the table of well-known networks.
    /// Settings of the run stay.
    ///
    /// \throws config::ConfigError prefixed with its position, in that file or in this one
    ConfigFile withModel(const QString& fileOrId) const;
    /// Returns where the network comes from: the path of a file, or an id; empty for the config's own.
    QString modelSource() const { return QString::fromStdString(m_contents.modelSource); }
    /// Network that was chosen instead of the config's; empty for none.
    const QString& chosenModel() const { return m_chosenModel; }

    /// Returns the text with that size in it, without writing anything.
    /// \throws config::BatchNotKept if the config cannot keep its batch with any such size, prefixed as above
    /// \throws config::ConfigError prefixed as above
    config::SplicedText withMicroBatchSize(const config::ChosenSize& chosen) const;
    /// Does the same with several sizes in order, such as those of training and of evaluation. \param chosen
    /// at least one
    config::SplicedText withMicroBatchSizes(const std::vector<config::ChosenSize>& chosen) const;

    /// Returns what save() would change in the config as it was read, as a unified diff, without writing
    /// anything.
    /// \throws config::ConfigError if the config has changed on disk since it was read
    QString changeIn(const config::SplicedText& spliced, const QString& path) const;

    /// Writes \p spliced to \p path, as replaceFile() does.
    /// \return why it was written in place, as in WayToWrite; empty if it was not
    /// \throws config::ConfigError with the system's reason (read-only, full disk, changed since it was read)
    QString save(const config::SplicedText& spliced, const QString& path,
                 InPlace inPlace = InPlace::WhereNeeded) const;

    /// Whether the file exists and has the contents that were read.
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
