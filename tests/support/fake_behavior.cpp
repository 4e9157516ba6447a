// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_behavior.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace batchpeak::test {

namespace {

// Parses "name@size+#attempt*times", of which all parts but the name may be absent.
Fault faultFrom(const std::string& text)
{
    const auto numberAfter = [&text](char sign) -> std::optional<std::int64_t> {
        const std::size_t place = text.find(sign);
        return place == std::string::npos ? std::nullopt : std::optional(std::stoll(text.substr(place + 1)));
    };
    Fault fault{.name = text.substr(0, text.find_first_of("@#*")),
                .size = numberAfter('@'),
                .isFromSize = text.find('+') != std::string::npos,
                .attempt = numberAfter('#')};
    if (const auto times = numberAfter('*'))
        fault.times = static_cast<int>(*times);
    return fault;
}

// Parses "name:message:/field", followed by the same optional parts.
Fault lineFaultFrom(const std::string& text)
{
    Fault fault = faultFrom(text);
    const std::size_t first = fault.name.find(':');
    const std::size_t second = fault.name.find(':', first + 1);
    if (first == std::string::npos)
        throw std::invalid_argument("the line that is to be spoilt is missing in " + text);
    fault.message = fault.name.substr(first + 1, second - first - 1);
    if (second != std::string::npos)
        fault.field = fault.name.substr(second + 1);
    fault.name.resize(first);
    return fault;
}

std::string withBlanks(std::string text)
{
    std::ranges::replace(text, '_', ' ');
    return text;
}

} // namespace

FakeBehavior FakeBehavior::parse(const std::vector<std::string>& words)
{
    FakeBehavior behavior;
    for (const std::string& word : words) {
        const std::size_t cut = word.find('=');
        const std::string key = word.substr(0, cut);
        const std::string value = cut == std::string::npos ? std::string() : word.substr(cut + 1);
        if (key == "start")
            behavior.start = value;
        else if (key == "little")
            behavior.little = value;
        else if (key == "load")
            behavior.load = value;
        else if (key == "short-loads")
            behavior.shortLoads = std::stoi(value);
        else if (key == "attention")
            behavior.attention = value;
        else if (key == "trial")
            behavior.faults.push_back(faultFrom(value));
        else if (key == "compare")
            behavior.comparisonFaults.push_back(faultFrom(value));
        else if (key == "protocol")
            behavior.protocol = value;
        else if (key == "batch")
            behavior.batchFaults.push_back(faultFrom(value));
        else if (key == "evaluation")
            behavior.evaluationFaults.push_back(faultFrom(value));
        else if (key == "line")
            behavior.lineFaults.push_back(lineFaultFrom(value));
        else if (key == "chat")
            behavior.chats = true;
        else if (key == "training")
            behavior.training = value;
        else if (key == "save")
            behavior.save = value;
        else if (key == "samples")
            behavior.samples = std::stoll(value);
        else if (key == "pause")
            behavior.pauseMilliseconds = std::stoi(value);
        else if (key == "noise")
            behavior.noise = std::stod(value);
        else if (key == "trial-time")
            behavior.trialMilliseconds = std::stoi(value);
        else if (key == "mute")
            behavior.isMute = true;
        else if (key == "once")
            behavior.onceFile = value;
        else if (key == "starts")
            behavior.startsFile = value;
        else if (key == "after")
            behavior.after = std::stoi(value);
        else if (key == "until")
            behavior.until = std::stoi(value);
        else if (key == "ignore-cancel")
            behavior.ignoresCancel = true;
        else if (key == "ignore-terminate")
            behavior.ignoresTerminate = true;
        else if (key == "ignore-end")
            behavior.ignoresEnd = true;
        else if (key == "stuck")
            behavior.stuckSeconds = static_cast<unsigned>(std::stoul(value));
        else if (key == "alpha")
            behavior.alpha = std::stod(value);
        else if (key == "beta")
            behavior.beta = std::stod(value);
        else if (key == "base")
            behavior.base = std::stoll(value);
        else if (key == "slope")
            behavior.slope = std::stoll(value);
        else if (key == "approximates")
            behavior.approximations.push_back(withBlanks(value));
        else if (key == "complain")
            behavior.complaints.push_back(value);
        else
            throw std::invalid_argument("unknown word " + word);
    }
    return behavior;
}

void FakeBehavior::countStart()
{
    if (startsFile.empty())
        return;
    std::ofstream(startsFile, std::ios::app) << '.';
    const auto number = static_cast<int>(std::filesystem::file_size(startsFile));
    if (number > after && number <= until)
        return;
    start = protocol = load = training = save = "ok";
    shortLoads = 0;
    stuckSeconds = 0;
    isMute = false;
    faults.clear();
    comparisonFaults.clear();
    batchFaults.clear();
    evaluationFaults.clear();
    lineFaults.clear();
}

std::string FakeBehavior::faultFor(std::vector<Fault>& faults, std::int64_t size, std::int64_t attempt) const
{
    const Fault* const fault = committed(faults, {}, size, attempt);
    return fault ? fault->name : std::string();
}

const Fault* FakeBehavior::faultOfLine(const std::string& message, std::int64_t size, std::int64_t attempt)
{
    return committed(lineFaults, message, size, attempt);
}

const Fault* FakeBehavior::committed(std::vector<Fault>& faults, const std::string& message,
                                     std::int64_t size, std::int64_t attempt) const
{
    for (Fault& fault : faults) {
        const std::int64_t meant = fault.size.value_or(size);
        const bool isOfSize = meant == size || (fault.isFromSize && size > meant);
        const bool isMeant =
            fault.message == message && isOfSize && fault.attempt.value_or(attempt) == attempt;
        if (!isMeant || fault.times == 0)
            continue;
        --fault.times;
        if (!onceFile.empty()) {
            if (std::filesystem::exists(onceFile))
                return nullptr;
            std::ofstream marker(onceFile);
        }
        return &fault;
    }
    return nullptr;
}

} // namespace batchpeak::test
