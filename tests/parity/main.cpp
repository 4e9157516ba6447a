// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "parity_step.h"
#include "trial/protocol.h"

#include <charconv>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string_view>
#include <variant>

namespace {

constexpr const char* usage =
    "Usage: batchpeak-parity-step LOAD TENSORS RESULT SAMPLES...\n"
    "Reads a load message of the trial protocol and a dictionary of tensors that torch.save wrote, runs the\n"
    "network forward and backward on micro-batches of so many SAMPLES in turn, and writes loss and "
    "gradients.\n";

batchpeak::trial::LoadRequest readRequest(const std::string& path)
{
    std::ifstream file(path);
    const std::string line{std::istreambuf_iterator<char>(file), {}};
    const auto parsed = batchpeak::trial::parseParentMessage(line);
    if (const auto* error = std::get_if<batchpeak::trial::ProtocolError>(&parsed))
        throw std::invalid_argument(error->text);
    const auto& message = std::get<batchpeak::trial::ParentMessage>(parsed);
    const auto* request = std::get_if<batchpeak::trial::LoadRequest>(&message);
    if (!request)
        throw std::invalid_argument("The file " + path + " holds another message than load.");
    return *request;
}

std::int64_t samplesFrom(std::string_view text)
{
    std::int64_t samples = 0;
    const auto [end, error] = std::from_chars(text.begin(), text.end(), samples);
    if (error != std::errc() || end != text.end() || samples < 1)
        throw std::invalid_argument("\"" + std::string(text) + "\" is no number of samples.");
    return samples;
}

} // namespace

int main(int argc, char** argv)
{
    const std::span<char*> arguments(argv, argc);
    if (arguments.size() < 5) {
        std::fputs(usage, stderr);
        return 1;
    }
    try {
        std::vector<std::int64_t> microBatches;
        for (const char* text : arguments.subspan(4))
            microBatches.push_back(samplesFrom(text));
        const auto request = readRequest(arguments[1]);
        writeTensors(arguments[3], parityStep(request, readTensors(arguments[2]), microBatches));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "batchpeak-parity-step: %s\n", error.what());
        return 1;
    }
    return 0;
}
