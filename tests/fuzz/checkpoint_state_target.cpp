// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "syntax/config_error.h"
#include "text_as_file.h"
#include "training/checkpoints/checkpoint_state_file.h"

namespace batchpeak::fuzz {

void run(std::string_view text)
{
    const QString path = asFile(text);
    mayRefuse<config::ConfigError>([&] {
        const training::StoredState stored = training::readStateFile(path);
        require(stored.state.step >= 0 && stored.state.microBatchSize >= 1 &&
                    stored.state.evaluationMicroBatchSize >= 1 && stored.state.batchSize >= 1 &&
                    stored.state.samplesDone >= 0,
                "a run can go on from it");
        training::writeStateFile(path, stored);
        require(training::readStateFile(path) == stored, "what is written is read as the same");
    });
}

} // namespace batchpeak::fuzz
