// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "token_shape.h"

namespace batchpeak::data {

void throwWithoutTokens(const TokenShape& shape)
{
    if (shape.length < 1) {
        throw DataError("The samples of this network are not made of tokens, so it cannot be trained on a "
                        "file of them. Choose synthetic data.");
    }
}

} // namespace batchpeak::data
