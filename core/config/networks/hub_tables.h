// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hub_models.h"

#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// The rows of hubModels(), a table for each family. Their keys and values are those of the config.json files
/// that the owners published; those that are the default of their class are left out.

/// Keys that several rows have, and those of one row, as JSON.
std::string withKeys(std::string_view common, std::string_view own);

std::vector<HubModel> gptHubModels();
std::vector<HubModel> llamaHubModels();
std::vector<HubModel> mistralHubModels();
std::vector<HubModel> qwenHubModels();
std::vector<HubModel> bertHubModels();
std::vector<HubModel> t5HubModels();
std::vector<HubModel> vitHubModels();

} // namespace batchpeak::config
