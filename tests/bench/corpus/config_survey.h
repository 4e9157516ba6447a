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

/// What becomes of one file that may be a config.
struct SurveyedFile
{
    QString path;
    /// The first folder below the one that is surveyed, or that one itself.
    QString repository;
    /// What reading it and planning its trials took.
    double seconds = 0.0;
    /// Why it is no config; empty where a format has recognized it.
    QString unreadable;
    /// Why it cannot be explored, as a short noun phrase; empty where it can.
    std::string refusal;
    /// The same as the sentence that a person gets.
    QString sentence;
    /// Of the trials of one that can be explored.
    batchpeak::config::Fidelity fidelity;

    bool isRecognized() const { return unreadable.isEmpty(); }
    bool isExplorable() const { return isRecognized() && refusal.empty(); }
    bool isExact() const
    {
        return isExplorable() && fidelity.kind == batchpeak::config::Fidelity::Kind::AsConfigured;
    }
};

/// Every YAML and JSON file below a folder, in the order of their paths.
QStringList configsBelow(const QString& folder);

/// As `batchpeak inspect` and `batchpeak explore --dry-run` have it: of training where the config has any,
/// else of evaluation.
SurveyedFile surveyed(const QString& path, const QString& folder);

/// What a worker is asked to load for the trials of a config, made smaller.
/// \throws config::ConfigError where they cannot be planned
batchpeak::trial::LoadRequest shrunkLoad(const QString& path);
