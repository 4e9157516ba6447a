// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Options of the sanitizers, and findings that they suppress, for every program that is compiled with one.
// The variables ASAN_OPTIONS, LSAN_OPTIONS, UBSAN_OPTIONS and TSAN_OPTIONS override them.

extern "C" const char* __asan_default_options()
{
    return "detect_stack_use_after_return=1:strict_string_checks=1:alloc_dealloc_mismatch=0:"
           "allocator_may_return_null=1:verify_asan_link_order=0:intercept_tls_get_addr=0:halt_on_error=1";
}

extern "C" const char* __lsan_default_options()
{
    return "print_suppressions=0";
}

/// Third-party libraries do not free these before the process ends.
extern "C" const char* __lsan_default_suppressions()
{
    return "leak:libfontconfig\n"
           "leak:libtorch_cpu\n"
           "leak:libpython\n";
}

extern "C" const char* __ubsan_default_options()
{
    return "print_stacktrace=1";
}

extern "C" const char* __tsan_default_options()
{
    return "history_size=7:halt_on_error=1:second_deadlock_stack=1:die_after_fork=0:allocator_may_return_"
           "null=1";
}

extern "C" const char* __tsan_default_suppressions()
{
    return
        // Qt is not compiled with ThreadSanitizer, so its locks and events are not seen as synchronization.
        "called_from_lib:libQt6Core.so\n"
        "called_from_lib:libQt6Sql.so\n"
        "called_from_lib:libQt6Gui.so\n"
        // Data that Qt's event queue passes from one thread to another.
        "race:invokeMethod<\n"
        "race:invokeMethodI\n"
        "race_top:QtPrivate::QSlotObject<\n"
        // A file descriptor that Qt closed, and that another thread then got from the system.
        "race:closedir\n"
        // Qt's own threads: the watchdog of Qt Test, those that paint images, and the D-Bus thread.
        "race:libglib-2.0.so\n"
        "race:libdbus-1.so\n"
        "race:libQt6DBus.so\n"
        "race:QObject::disconnect\n"
        "race:libQt6Test.so\n"
        "race:libQt6Gui.so\n"
        // Threads of OpenMP and PyTorch wait for each other with system calls.
        "called_from_lib:libgomp\n"
        "called_from_lib:libtorch_cpu.so\n"
        "called_from_lib:libc10.so\n"
        // If libtorch unlocks in a tail call, the unlock is attributed to libtorch's caller, but the lock was
        // ignored.
        "mutex:batchpeak::network::\n"
        // The GPU suite strips the symbols of the worker.
        "mutex:batchpeak-worker\n"
        "mutex:c10::RegistrationHandleRAII\n"
        "mutex:std::condition_variable::wait\n"
        // Autograd's thread of a GPU, with its callbacks, and the thread that waits for it synchronize with
        // the same locks.
        "race:libtorch_cpu.so\n";
}
