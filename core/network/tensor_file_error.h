// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stdexcept>

namespace batchpeak::network {

/// A file of tensors that cannot be written or read, as a full sentence that names it and says what to do.
class TensorFileError : public std::runtime_error
{
    using std::runtime_error::runtime_error;
};

} // namespace batchpeak::network
