// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "readable_text.h"

#include <QCoreApplication>

namespace batchpeak::engine {

namespace {

QString translated(const char* text)
{
    return QCoreApplication::translate("batchpeak::engine", text);
}

} // namespace

QString bytesText(std::int64_t bytes, const QLocale& locale)
{
    return locale.formattedDataSize(bytes, 1, QLocale::DataSizeIecFormat);
}

QString durationText(std::chrono::milliseconds duration)
{
    using namespace std::chrono;
    if (duration < 1s)
        return translated("%1 ms").arg(duration.count());
    const auto whole = round<seconds>(duration);
    if (whole < 2min)
        return translated("%1 s").arg(whole.count());
    const auto wholeMinutes = round<minutes>(whole);
    if (wholeMinutes < 1h)
        return translated("%1 min").arg(wholeMinutes.count());
    return translated("%1 h %2 min").arg(wholeMinutes.count() / 60).arg(wholeMinutes.count() % 60);
}

} // namespace batchpeak::engine
