// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal>

#include <cstddef>
#include <pthread.h>

namespace batchpeak::test {

/// Makes every creation of a thread in this process fail during its lifetime, as a limit on processes would:
/// the default stack of a thread is larger than any address space.
class NoThreads
{
public:
    NoThreads()
    {
        pthread_getattr_default_np(&m_before);
        pthread_attr_t attributes;
        pthread_getattr_default_np(&attributes);
        pthread_attr_setstacksize(&attributes, std::size_t{1} << 60U);
        if (pthread_setattr_default_np(&attributes) != 0)
            qFatal("This system gives threads no stack of such a size, so nothing was asked.");
        pthread_attr_destroy(&attributes);
    }
    ~NoThreads()
    {
        pthread_setattr_default_np(&m_before);
        pthread_attr_destroy(&m_before);
    }
    NoThreads(const NoThreads&) = delete;
    NoThreads& operator=(const NoThreads&) = delete;

private:
    pthread_attr_t m_before;
};

} // namespace batchpeak::test
