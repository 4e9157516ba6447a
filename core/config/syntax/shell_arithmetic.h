// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace batchpeak::config {

/// The value of what stands in $(( )): decimal numbers and names with + - * / % and parentheses, as in C
/// (IEEE 1003.1-2017, Shell Command Language, 2.6.4). Nothing for anything else, where a name has no value,
/// and for values beyond 2^31, which count no devices and no samples.
///
/// \param valueOf  of NAME, $NAME and ${NAME}
std::optional<std::int64_t>
shellArithmetic(std::string_view expression,
                const std::function<std::optional<std::int64_t>(const std::string& name)>& valueOf);

/// A text that is one decimal number of at most 2^31 and nothing else, blanks around it apart.
std::optional<std::int64_t> shellNumber(std::string_view text);

} // namespace batchpeak::config
