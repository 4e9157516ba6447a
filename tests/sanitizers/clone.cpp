// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdarg>

#include <dlfcn.h>
#include <sched.h>

/// In the place of the C library's in what ThreadSanitizer watches.
///
/// Qt starts a process in the memory of its parent, by CLONE_VM. ThreadSanitizer ignores all that the child
/// does (ForkChildAfter() in tsan_rtl.cpp of GCC 12), and notes that in the same memory: from then on it
/// ignores the thread that started it, too, whose locks then order nothing. Here the child has a copy.
extern "C" int clone(int (*run)(void*), void* stack, int flags, void* argument, ...) noexcept
{
    va_list more;
    va_start(more, argument);
    void* const parentsNumber = va_arg(more, void*);
    void* const localStorage = va_arg(more, void*);
    void* const childsNumber = va_arg(more, void*);
    va_end(more);
    using Clone = int (*)(int (*)(void*), void*, int, void*, ...);
    static const auto next = reinterpret_cast<Clone>(dlsym(RTLD_NEXT, "clone"));
    return next(run, stack, flags & ~CLONE_VM, argument, parentsNumber, localStorage, childsNumber);
}
