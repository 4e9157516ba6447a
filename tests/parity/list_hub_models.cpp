// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/networks/hub_models.h"
#include "model/parameter_table.h"

#include <algorithm>
#include <cstdio>
#include <string>

/// Prints every well-known network of the hub as a line of JSON: its id, its parameters, and its config.json.
int main()
{
    using namespace batchpeak;
    for (const config::HubModel& known : config::hubModels()) {
        std::vector<config::Warning> warnings;
        const std::string id(known.ids.front());
        const auto network = config::namedModel(id, {}, warnings);
        const auto* spec = std::get_if<model::ModelSpec>(&network);
        if (!spec) {
            std::fprintf(stderr, "%s: %s\n", id.c_str(),
                         std::get<config::UnsupportedModel>(network).sentence.c_str());
            return 1;
        }
        std::string config = known.config;
        std::ranges::replace(config, '\n', ' ');
        std::printf("{\"id\": \"%s\", \"parameters\": %lld, \"config\": %s}\n", id.c_str(),
                    static_cast<long long>(model::parameterCount(*spec)), config.c_str());
    }
    return 0;
}
