// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "token_source.h"

namespace batchpeak::data {

/// \throws DataError  where rows have no tokens, as those of a network of images: files of tokens are of no
///         use to it
void throwWithoutTokens(const TokenShape& shape);

} // namespace batchpeak::data
