// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace batchpeak::ui {

/// Has all windows of this program paint with the one thread that is made now, beside their own. Qt makes
/// some as it paints, lets them go while there is nothing to paint, and waits without end for one that the
/// system does not give, as where a limit of processes is reached by then.
void keepPaintingThreads();

} // namespace batchpeak::ui
