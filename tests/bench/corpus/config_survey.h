// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/fidelity.h"
#include "config/network_source.h"
#include "options/exploration_options.h"
#include "trial/trial_request.h"

#include <QString>
#include <QStringList>

#include <optional>
#include <string>
#include <vector>

/// What one program that runs trials makes of a config.
struct SurveyedRoad
{
    /// Reason why it cannot explore the config, as a short noun phrase; empty if it can.
    std::string refusal;
    /// The same reason as the sentence that users read.
    QString sentence;
    /// Fidelity of the trials of a config that can be explored.
    batchpeak::config::Fidelity fidelity;

    bool isOpen() const { return refusal.empty(); }
    bool isExact() const
    {
        return isOpen() && fidelity.kind == batchpeak::config::Fidelity::Kind::AsConfigured;
    }
};

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
    /// What batchpeak-worker makes of it.
    SurveyedRoad worker;
    /// What the user's Python makes of it, if it was asked.
    std::optional<SurveyedRoad> python;
    /// What the user's Python would load; nothing if no trials can be planned for it.
    std::optional<batchpeak::trial::LoadRequest> loadForPython;
    /// The network of a hub that is not on this computer, if that is why it is refused.
    std::optional<batchpeak::config::NetworkName> missing;

    bool isRecognized() const { return unreadable.isEmpty(); }
    /// The better outcome of the two programs.
    const SurveyedRoad& either() const;
};

/// Returns every YAML, JSON and TOML file and every script below a folder, ordered by path.
QStringList configsBelow(const QString& folder);

/// Surveys a file like `batchpeak inspect` and `batchpeak explore --dry-run`: its training if the config has
/// any, otherwise its evaluation.
SurveyedFile surveyed(const QString& path, const QString& folder);

/// Asks the user's Python to build each network without its weights, and adds its answers. Equal networks are
/// built once. Configs that no Python can run are refused with the reason of the plan.
void askPython(std::vector<SurveyedFile>& files, const QString& python);

/// Returns the load request for the trials of a config, with a smaller network.
/// \throws config::ConfigError if the trials cannot be planned
batchpeak::trial::LoadRequest shrunkLoad(const QString& path);
