// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz_target.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

/// Runs a fuzz target on every file of a folder, without libFuzzer: on its seeds, and on inputs that once
/// caused findings.
int main(int argc, char** argv)
{
    int files = 0;
    for (const auto& file : std::filesystem::directory_iterator(argc > 1 ? argv[1] : ".")) {
        std::ifstream stream(file.path(), std::ios::binary);
        batchpeak::fuzz::run(std::string(std::istreambuf_iterator<char>(stream), {}));
        ++files;
    }
    std::printf("%d files\n", files);
    return files > 0 ? 0 : 1;
}
