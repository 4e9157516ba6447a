// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz_target.h"
#include "trial/protocol.h"

namespace batchpeak::fuzz {

namespace {

using trial::ProtocolError;

/// Checks that a message is read as it is written.
template<typename Message, typename Parse>
void check(std::string_view line, Parse parse)
{
    const std::variant<Message, ProtocolError> read = parse(line);
    if (const auto* error = std::get_if<ProtocolError>(&read)) {
        require(error->text.ends_with('.'), "an error is a sentence", error->text);
        return;
    }
    const std::string written = toLine(std::get<Message>(read));
    require(written.ends_with('\n') && written.find('\n') == written.size() - 1, "a message is one line",
            written);
    const std::variant<Message, ProtocolError> again = parse(written);
    require(std::holds_alternative<Message>(again), "what is written can be read", written);
    require(toLine(std::get<Message>(again)) == written, "it is the same message", written);
}

} // namespace

// Reads a line as a message from a worker and as a message to a worker: neither side trusts the other.
void run(std::string_view line)
{
    check<trial::WorkerMessage>(line, trial::parseWorkerMessage);
    check<trial::ParentMessage>(line, trial::parseParentMessage);
}

} // namespace batchpeak::fuzz
