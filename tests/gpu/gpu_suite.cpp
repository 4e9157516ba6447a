// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu_suite.h"

namespace batchpeak::test {

void GpuSuite::initTestCase()
{
    if (!m_gpu.reasonToSkip().empty())
        QSKIP(m_gpu.reasonToSkip().c_str());
    QVERIFY(memory().totalBytes() > 0);
    QVERIFY(memory().freeBytes() <= memory().totalBytes());
}

} // namespace batchpeak::test
