// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "distinct_runs.h"

#include "syntax/config_error.h"

#include <map>
#include <utility>

using namespace batchpeak;

std::string DistinctRun::text() const
{
    using model::toText;
    const auto word = [](auto value) { return std::string(toText(value)); };
    const bool isTuned = !model::trainsAll(load.tuning);
    std::string trained = "all";
    if (isTuned)
        trained = model::hasAdapters(load.tuning) ? word(load.tuning.adapter) : std::string("parts");
    std::string text = load.model.family + ", " + trained + ", " + word(load.precision);
    text += load.step.activationCheckpointing ? ", checkpointed" : ", not checkpointed";
    if (isTuned)
        text += ", frozen " + word(load.tuning.frozenWeights);
    if (load.phase == model::Phase::Train)
        text += ", " + word(load.optimizer);
    else
        text += ", evaluation";
    const model::FakeQuantization& rounding = load.tuning.fakeQuantization;
    if (model::roundsAnything(rounding))
        text += ", rounded to " + word(rounding.weights) + " and " + word(rounding.activations);
    return text + (load.step.packedTextLength > 0 ? ", packed" : "");
}

DistinctRuns distinctRuns(const std::vector<SurveyedFile>& files)
{
    DistinctRuns found;
    std::map<std::string, DistinctRun> byText;
    for (const SurveyedFile& file : files) {
        if (!file.isRecognized() || !file.worker.isOpen())
            continue;
        try {
            DistinctRun run{.path = file.path, .load = shrunkLoad(file.path)};
            const std::string text = run.text();
            if (const auto [place, isNew] = byText.try_emplace(text, std::move(run)); !isNew)
                ++place->second.configs;
        } catch (const config::ConfigError& error) {
            found.notShrunk << QString::fromUtf8(error.what());
        }
    }
    for (auto& [text, run] : byText)
        found.runs.push_back(std::move(run));
    return found;
}
