// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "network.h"

#include <cstdint>
#include <span>

namespace batchpeak::network {

/// Square images.
struct ImageShape
{
    std::int64_t channels = 3;
    std::int64_t size = 0;
};

/// Images of normal noise, each under a pattern of waves that all images of its class share, so that a
/// network can learn to tell the classes apart. The class is the key's remainder.
///
/// \param options  type and device of the images
Batch imageSamples(std::span<const SampleRow> rows, const ImageShape& shape, std::int64_t classes,
                   const at::TensorOptions& options);

} // namespace batchpeak::network
