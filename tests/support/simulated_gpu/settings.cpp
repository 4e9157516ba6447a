// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string_view>

namespace batchpeak::simulated_gpu {

namespace {

/// \return false if the key is unknown
bool apply(Settings& settings, std::string_view key, const std::string& value)
{
    const auto whole = [&value] { return std::stoll(value); };
    const auto small = [&value] { return std::stoi(value); };
    if (key == "devices")
        settings.devices = small();
    else if (key == "total")
        settings.totalBytes = whole();
    else if (key == "context")
        settings.contextBytes = whole();
    else if (key == "others")
        settings.otherBytes = whole();
    else if (key == "questions-until-back")
        settings.questionsUntilBack = small();
    else if (key == "ledger")
        settings.ledger = value;
    else if (key == "launch-seconds")
        settings.launchSeconds = std::stod(value);
    else if (key == "bytes-per-second")
        settings.bytesPerSecond = std::stod(value);
    else if (key == "flops-per-second")
        settings.flopsPerSecond = std::stod(value);
    else if (key == "initialization-error")
        settings.initializationError = small();
    else if (key == "fails-to-name-holders")
        settings.failsToNameHolders = small() != 0;
    else if (key == "failing-kernel")
        settings.failingKernel = whole();
    else if (key == "failing-code")
        settings.failingCode = small();
    else if (key == "prefers-cudnn")
        settings.prefersCudnn = small() != 0;
    else
        return false;
    return true;
}

Settings read()
{
    Settings settings;
    const char* text = std::getenv("BATCHPEAK_SIMULATED_GPU");
    std::istringstream words(text ? text : "");
    for (std::string word; words >> word;) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos ||
            !apply(settings, word.substr(0, equals), word.substr(equals + 1))) {
            std::fprintf(stderr, "The word %s of BATCHPEAK_SIMULATED_GPU is unknown.\n", word.c_str());
            std::abort();
        }
    }
    return settings;
}

} // namespace

const Settings& settings()
{
    static const Settings all = read();
    return all;
}

} // namespace batchpeak::simulated_gpu
