// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "size_line.h"

#include "engine/batch_text.h"

namespace batchpeak::ui {

namespace {

bool beginsWithBrace(std::string_view text)
{
    constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(byteOrderMark))
        text.remove_prefix(byteOrderMark.size());
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '{';
}

} // namespace

QString sizeLine(const config::BatchPlan& plan, std::int64_t microBatchSize, std::string_view text)
{
    if (!beginsWithBrace(text))
        return engine::sizeText(plan, microBatchSize);
    return QStringLiteral("\"%1\": %2").arg(QString::fromStdString(plan.microBatchKey)).arg(microBatchSize);
}

} // namespace batchpeak::ui
