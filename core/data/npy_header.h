// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::data {

/// What the header of a .npy file says of its array: the dictionary that numpy.lib.format of NumPy 2 writes.
struct NpyHeader
{
    /// As NumPy writes types: byte order, kind and bytes, "<u2".
    std::string type;
    bool fortranOrder = false;
    std::vector<std::int64_t> shape;
};

/// \param text  the dictionary with what pads it: the keys descr, fortran_order and shape, each once, in any
///        order
/// \throws std::invalid_argument  what is wrong, as the end of a sentence that begins with the file
NpyHeader parseNpyHeader(std::string_view text);

} // namespace batchpeak::data
