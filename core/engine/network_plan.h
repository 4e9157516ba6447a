// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "exploration_options.h"
#include "snapshot.h"
#include "trial/trial_request.h"

#include <QString>
#include <QStringList>

namespace batchpeak::engine {

/// What a config and a person's options come to for the network and its samples, whatever is run with it and
/// in whatever batches.
struct NetworkPlan
{
    /// Without its batch and its objective.
    RunDescription run;
    /// Without its memory limit, which the device decides.
    trial::LoadRequest load;
    /// What the user should know about the samples, as full sentences.
    QStringList notes;
};

/// \throws config::ConfigError where the config and the options contradict each other, or hold no network
///         that can be run
NetworkPlan planNetwork(const QString& filePath, const config::ConfigContents& contents,
                        const ExplorationOptions& options);

} // namespace batchpeak::engine
