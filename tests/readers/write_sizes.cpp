// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "another_size.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

using namespace batchpeak;

namespace {

/// Writes a size for every phase of a config into a copy of it, and prints "phase size" for each.
void writeSizes(const std::string& file, const std::string& folder)
{
    std::ifstream stream(file, std::ios::binary);
    const auto format = config::recognise(std::string(std::istreambuf_iterator<char>(stream), {}));
    const config::ConfigContents contents = format->read();
    for (const model::Phase phase : {model::Phase::Train, model::Phase::Eval}) {
        if (!contents.plan(phase))
            continue;
        const config::ChosenSize chosen = anotherSize(*format, phase, *contents.plan(phase));
        const std::string name(model::toText(phase));
        std::ofstream(folder + "/" + name, std::ios::binary) << format->withMicroBatchSize(chosen).text;
        std::printf("%s %lld\n", name.c_str(), static_cast<long long>(chosen.microBatchSize));
    }
}

} // namespace

/// For make test-yaml-readers: FILE FOLDER. The copies lie in the folder under the names of their phases.
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
