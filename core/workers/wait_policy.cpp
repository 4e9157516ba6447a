// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "wait_policy.h"

namespace batchpeak::engine {

namespace {

// One program that computes all the time takes 1; a desktop at rest was seen to take less than .2.
constexpr double company = 0.5;
constexpr double calm = 0.2;
/// A reading that counts alone, of a fraction of a second, is to be a clear one.
constexpr double companyAtFirst = 0.75;
// A fresh worker costs two seconds, and after calm a few more spinning steps cost less than it does.
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
