// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "wait_policy.h"

namespace batchpeak::engine {

namespace {

// One program that computes all the time takes 1; an idle desktop took less than 0.2 in measurements.
constexpr double company = 0.5;
constexpr double calm = 0.2;
/// The first reading decides alone and covers only a fraction of a second, so it must be clearly above.
constexpr double companyAtFirst = 0.75;
// A fresh worker costs two seconds. Once other programs have stopped, a few more steps with the old way of
// waiting cost less than that.
constexpr int readingsOfCompany = 2;
constexpr int readingsOfCalm = 10;

} // namespace

void WaitPolicy::begin(double otherProcessors)
{
    m_sleeps = otherProcessors > companyAtFirst;
}

void WaitPolicy::look(double otherProcessors)
{
    const bool isContrary = m_sleeps ? otherProcessors < calm : otherProcessors > company;
    m_contrary = isContrary ? m_contrary + 1 : 0;
    if (m_contrary < (m_sleeps ? readingsOfCalm : readingsOfCompany))
        return;
    m_sleeps = !m_sleeps;
    m_contrary = 0;
}

QStringList WaitPolicy::environment() const
{
    return m_sleeps ? QStringList{QStringLiteral("OMP_WAIT_POLICY=PASSIVE")} : QStringList();
}

} // namespace batchpeak::engine
