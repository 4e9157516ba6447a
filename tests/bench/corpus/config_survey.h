// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/fidelity.h"
#include "options/exploration_options.h"
#include "trial/trial_request.h"

#include <QString>
#include <QStringList>

#include <optional>
#include <string>
#include <vector>

/// The outcome of one file that may be a config.
struct SurveyedFile
{
    QString path;
    /// The first folder below the surveyed one, or the surveyed one itself.
    QString repository;
    /// Time for reading it and planning its trials.
    double seconds = 0.0;
    /// Reason why it is not a config; empty if a format has recognized it.
    QString unreadable;
    /// Reason why it cannot be explored, as a short noun phrase; empty if it can.
    std::string refusal;
    /// The same reason as the sentence that users read.
    QString sentence;
    /// Fidelity of the trials of a config that can be explored.
    batchpeak::config::Fidelity fidelity;

    bool isRecognized() const { return unreadable.isEmpty(); }
    bool isExplorable() const { return isRecognized() && refusal.empty(); }
    bool isExact() const
    {
        return isExplorable() && fidelity.kind == batchpeak::config::Fidelity::Kind::AsConfigured;
    }
};

/// Returns every YAML and JSON file below a folder, ordered by path.
QStringList configsBelow(const QString& folder);

/// Surveys a file like `batchpeak inspect` and `batchpeak explore --dry-run`: its training if the config has
/// any, otherwise its evaluation.
SurveyedFile surveyed(const QString& path, const QString& folder);

/// Returns the load request for the trials of a config, with a smaller network.
/// \throws config::ConfigError if the trials cannot be planned
batchpeak::trial::LoadRequest shrunkLoad(const QString& path);
