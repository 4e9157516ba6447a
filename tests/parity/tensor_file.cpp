// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tensor_file.h"

#include <ATen/core/Dict.h>
#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <vector>

NamedTensors readTensors(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    if (!file.is_open() || bytes.empty())
        throw std::runtime_error("The file " + path + " cannot be read, or is empty.");
    NamedTensors tensors;
    try {
        // If an archive has no end record, libtorch reads out of bounds (VectorReader of torch 2.11).
        constexpr std::string_view endOfZip = "PK\5\6";
        if (std::ranges::search(bytes, endOfZip).empty())
            throw std::invalid_argument("not an archive");
        for (const auto& entry : torch::jit::pickle_load(bytes).toGenericDict())
            tensors.emplace(entry.key().toStringRef(), entry.value().toTensor());
    } catch (const std::exception&) {
        throw std::runtime_error("The file " + path +
                                 " holds no dictionary of tensors; write one with torch.save.");
    }
    return tensors;
}

void writeTensors(const std::string& path, const NamedTensors& tensors)
{
    c10::Dict<std::string, at::Tensor> dictionary;
    for (const auto& [name, tensor] : tensors)
        dictionary.insert(name, tensor);
    const std::vector<char> bytes = torch::jit::pickle_save(dictionary);
    std::ofstream file(path, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file.flush())
        throw std::runtime_error("The file " + path + " cannot be written.");
}
