// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "global_batch_option.h"

#include "engine/batch_text.h"
#include "quantity_parsing.h"
#include "run_arguments.h"
#include "usage_error.h"

#include <CLI/App.hpp>

namespace batchpeak::cli {

namespace {

using Kind = GlobalBatchOption::Kind;

// Of the size of a config's own: config::wholeBatch() takes none above.
constexpr std::int64_t largestBatch = std::int64_t{1} << 31;

GlobalBatchOption optionFromText(const std::string& text)
{
    if (text == "below")
        return {.kind = Kind::Below};
    if (text == "above")
        return {.kind = Kind::Above};
    try {
        return {.kind = Kind::Given, .batch = countFromText(text, 1, largestBatch)};
    } catch (const UsageError& error) {
        throw UsageError(std::string(error.what()) + " Or write below or above.");
    }
}

void refuseWhereTheSizeIsTheBatch(const engine::ConfigFile& file, model::Phase phase)
{
    const auto& plan = file.contents().plan(phase);
    if (plan && !engine::hasMicroBatches(*plan)) {
        throw UsageError("the size of this phase is its batch (" + plan->microBatchKey +
                         "), so there is no other to write; leave out --global-batch.");
    }
}

std::int64_t nearest(const config::BatchNotKept& notKept, Kind kind)
{
    if (kind == Kind::Above)
        return notKept.above();
    if (!notKept.below()) {
        throw UsageError(std::string(notKept.what()) +
                         " There is no batch below; take the one above with --global-batch above.");
    }
    return *notKept.below();
}

} // namespace

void addGlobalBatchOption(CLI::App& app, GlobalBatchOption& option)
{
    addTextOption(app, "--global-batch", "N|below|above",
                  "Samples of one optimizer step to write with the size: N, or the nearest where the present "
                  "number cannot be kept",
                  [&option](const std::string& text) { option = optionFromText(text); });
}

config::SplicedText withSize(const engine::ConfigFile& file, config::ChosenSize chosen,
                             const GlobalBatchOption& option)
{
    if (option.kind != Kind::Kept)
        refuseWhereTheSizeIsTheBatch(file, chosen.phase);
    if (option.kind == Kind::Given)
        chosen.globalBatchSize = option.batch;
    try {
        return file.withMicroBatchSize(chosen);
    } catch (const config::BatchNotKept& notKept) {
        if (option.kind == Kind::Kept)
            throw;
        chosen.globalBatchSize = nearest(notKept, option.kind);
    }
    return file.withMicroBatchSize(chosen);
}

} // namespace batchpeak::cli
