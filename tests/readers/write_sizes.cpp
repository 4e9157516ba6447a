// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "another_size.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

using namespace batchpeak;

namespace {

/// Omits the micro-batch size and the accumulation steps if the config asks for a search.
nlohmann::json toJson(const config::BatchPlan& plan)
{
    nlohmann::json json{{"batch_size", plan.globalBatchSize},
                        {"devices", plan.devices},
                        {"knows_devices", plan.knowsDevices}};
    if (const std::optional<std::int64_t> size = plan.writtenSize()) {
        json["micro_batch_size"] = *size;
        json["accumulation_steps"] = plan.accumulationSteps(*size);
    }
    return json;
}

struct Copy
{
    std::string name;
    config::ChosenSize chosen;
    /// Whether a ConfigError is acceptable, since some trainers cannot have such a batch.
    bool mayBeRefused = false;
};

/// Returns a copy with a size that keeps the batch if possible. For training, returns also one with a batch
/// of four micro-batches on each device, since the batch of many configs is one sample.
std::vector<Copy> copiesFor(const config::ConfigDocument& format, model::Phase phase,
                            const config::BatchPlan& plan)
{
    const std::string name(model::toText(phase));
    std::vector<Copy> copies{{name, anotherSize(format, phase, plan)}};
    if (phase == model::Phase::Train)
        copies.push_back({name + "-in-4-steps",
                          {.phase = phase, .microBatchSize = 3, .globalBatchSize = 3 * 4 * plan.devices},
                          true});
    return copies;
}

std::optional<std::string> textOf(const config::ConfigDocument& format, const Copy& copy)
{
    try {
        return format.withMicroBatchSize(copy.chosen).text;
    } catch (const config::ConfigError&) {
        if (copy.mayBeRefused)
            return std::nullopt;
        throw;
    }
}

/// Writes sizes for every phase of a config into copies of it. Prints a line of JSON for each copy: the
/// batches of the config, and those of the copy after it is read again.
void writeSizes(const std::string& file, const std::string& folder)
{
    std::ifstream stream(file, std::ios::binary);
    const auto format = config::recognize(std::string(std::istreambuf_iterator<char>(stream), {}));
    const config::ConfigContents contents = format->read();
    for (const model::Phase phase : {model::Phase::Train, model::Phase::Eval}) {
        if (!contents.plan(phase))
            continue;
        for (const Copy& copy : copiesFor(*format, phase, *contents.plan(phase))) {
            const std::optional<std::string> text = textOf(*format, copy);
            if (!text)
                continue;
            std::ofstream(folder + "/" + copy.name, std::ios::binary) << *text;
            const nlohmann::json line{{"copy", copy.name},
                                      {"phase", model::toText(phase)},
                                      {"size", copy.chosen.microBatchSize},
                                      {"format", format->name()},
                                      {"before", toJson(*contents.plan(phase))},
                                      {"after", toJson(*config::recognize(*text)->read().plan(phase))}};
            std::printf("%s\n", line.dump().c_str());
        }
    }
}

} // namespace

/// Program of make test-yaml-readers and make test-trainers, with the arguments FILE FOLDER. It writes the
/// copies into the folder, under the names that it prints.
int main(int argc, char** argv)
{
    if (argc != 3)
        return 1;
    try {
        writeSizes(argv[1], argv[2]);
        return 0;
    } catch (const config::ConfigError& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
