// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_behaviour.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace batchpeak::test {

namespace {

// "name", "name@size" or "name@size*times"
Misdeed misdeedFrom(const std::string& text)
{
    const std::size_t at = text.find('@');
    if (at == std::string::npos)
        return {.name = text};
    Misdeed misdeed{.name = text.substr(0, at), .size = std::stoll(text.substr(at + 1))};
    if (const std::size_t star = text.find('*'); star != std::string::npos)
        misdeed.times = std::stoi(text.substr(star + 1));
    return misdeed;
}

} // namespace

FakeBehaviour FakeBehaviour::parse(const std::vector<std::string>& words)
{
    FakeBehaviour behaviour;
    for (const std::string& word : words) {
        const std::size_t cut = word.find('=');
        const std::string key = word.substr(0, cut);
        const std::string value = cut == std::string::npos ? std::string() : word.substr(cut + 1);
        if (key == "start")
            behaviour.start = value;
        else if (key == "load")
            behaviour.load = value;
        else if (key == "trial")
            behaviour.misdeeds.push_back(misdeedFrom(value));
        else if (key == "once")
            behaviour.onceFile = value;
        else if (key == "starts")
            behaviour.startsFile = value;
        else if (key == "after")
            behaviour.after = std::stoi(value);
        else if (key == "until")
            behaviour.until = std::stoi(value);
        else if (key == "ignore-cancel")
            behaviour.ignoresCancel = true;
        else if (key == "ignore-terminate")
            behaviour.ignoresTerminate = true;
        else if (key == "ignore-end")
            behaviour.ignoresEnd = true;
        else if (key == "alpha")
            behaviour.alpha = std::stod(value);
        else if (key == "beta")
            behaviour.beta = std::stod(value);
        else if (key == "base")
            behaviour.base = std::stoll(value);
        else if (key == "slope")
            behaviour.slope = std::stoll(value);
        else if (key == "total")
            behaviour.totalBytes = std::stoll(value);
        else if (key == "complain")
            behaviour.complaints.push_back(value);
        else
            throw std::invalid_argument("unknown word " + word);
    }
    return behaviour;
}

void FakeBehaviour::countStart()
{
    if (startsFile.empty())
        return;
    std::ofstream(startsFile, std::ios::app) << '.';
    const auto number = static_cast<int>(std::filesystem::file_size(startsFile));
    if (number > after && number <= until)
        return;
    start = load = "ok";
    misdeeds.clear();
}

} // namespace batchpeak::test
