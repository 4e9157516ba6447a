// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "syntax/config_error.h"
#include "text_as_file.h"
#include "training/training_event_file.h"

namespace batchpeak::fuzz {

void run(std::string_view text)
{
    mayRefuse<config::ConfigError>([&] {
        const training::TrainingSnapshot snapshot = training::readTrainingEvents(asFile(text));
        require(snapshot.run.has_value(), "events are of a run");
    });
}

} // namespace batchpeak::fuzz
