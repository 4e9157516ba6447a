// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace batchpeak::ui {

/// Makes all windows of this program paint with a single thread that is created now, besides their own. By
/// default Qt creates some as it paints, ends them while there is nothing to paint, and waits without end for
/// one that the system refuses, such as when a limit of processes has been reached by then.
void keepPaintingThreads();

} // namespace batchpeak::ui
