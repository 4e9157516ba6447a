// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app_icon.h"
#include "cli/command_line.h"
#include "cli/signal_relay.h"
#include "cli/surroundings.h"
#include "engine/exploration_recorder.h"
#include "store/exploration_store.h"
#include "widgets/painting_threads.h"
#include "window/main_window.h"

#include <QApplication>
#include <QEvent>
#include <QObject>
#include <QTimer>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <new>
#include <unistd.h>

namespace {

constexpr std::array namesOfDisplay{"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"};

/// Whether a display is named: without one, QApplication does not fail but aborts the program.
bool hasDisplay()
{
    return std::ranges::any_of(namesOfDisplay, qEnvironmentVariableIsSet);
}

// The arguments of main, for a restart when no display can be used.
char** wordsOfMain = nullptr;

/// Restarts the program as if no display were named. A named display may be gone, such as that of a session
/// that has ended; Qt would abort.
void beginWithoutDisplay(QtMsgType type, const QMessageLogContext& context, const QString& text)
{
    if (type != QtFatalMsg) {
        std::fprintf(stderr, "%s\n", qPrintable(qFormatLogMessage(type, context, text)));
        return;
    }
    for (const char* name : namesOfDisplay)
        qunsetenv(name);
    execv("/proc/self/exe", wordsOfMain);
}

/// Drops Qt's warnings: in a terminal, this program reports failures in its own sentences. Qt's additional
/// messages, such as those about a library that it cannot load, are printed only if QT_LOGGING_RULES is set.
void leaveUnsaid(QtMsgType type, const QMessageLogContext& context, const QString& text)
{
    const bool isOfAFailure = type == QtWarningMsg || type == QtCriticalMsg;
    if (!isOfAFailure || qEnvironmentVariableIsSet("QT_LOGGING_RULES"))
        std::fprintf(stderr, "%s\n", qPrintable(qFormatLogMessage(type, context, text)));
}

/// Opens /dev/null for each missing standard stream. Otherwise the next opened file would get the stream's
/// number, and messages would be written into that file. The streams are opened in the wrong direction, so
/// that a write fails as it should.
void occupyStandardStreams()
{
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(stream, F_GETFD) == -1 && errno == EBADF)
            (void)open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
}

void nameApplication()
{
    QCoreApplication::setApplicationName(QStringLiteral("batchpeak"));
    QCoreApplication::setOrganizationName(QStringLiteral("batchpeak"));
    QCoreApplication::setApplicationVersion(QStringLiteral(BATCHPEAK_VERSION));
}

/// Prints on stderr how long the window took from the start of main to the end of its first paint, if the
/// environment variable BATCHPEAK_TRACE_STARTUP is 1.
class StartupTrace : public QObject
{
public:
    /// \param window  object that is watched until its first paint
    StartupTrace(QObject* window, std::chrono::steady_clock::time_point startOfMain);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    std::chrono::steady_clock::time_point m_startOfMain;
};

StartupTrace::StartupTrace(QObject* window, std::chrono::steady_clock::time_point startOfMain)
    : QObject(window), m_startOfMain(startOfMain)
{
    if (qEnvironmentVariableIntValue("BATCHPEAK_TRACE_STARTUP") == 1)
        window->installEventFilter(this);
}

bool StartupTrace::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Paint) {
        watched->removeEventFilter(this);
        // The children are painted in the same iteration of the event loop, so the next iteration comes after
        // them.
        QTimer::singleShot(0, this, [this] {
            const std::chrono::duration<double, std::milli> taken =
                std::chrono::steady_clock::now() - m_startOfMain;
            std::fprintf(stderr, "batchpeak: first paint %.0f ms after the start of main\n", taken.count());
        });
    }
    return QObject::eventFilter(watched, event);
}

int openWindow(int& argc, char** argv, const batchpeak::cli::WindowRequest& request,
               std::chrono::steady_clock::time_point startOfMain)
{
    const auto handler = qInstallMessageHandler(beginWithoutDisplay);
    const QApplication application(argc, argv);
    qInstallMessageHandler(handler);
    batchpeak::ui::keepPaintingThreads();
    nameApplication();
    QApplication::setApplicationDisplayName(QStringLiteral("Batchpeak"));
    QGuiApplication::setDesktopFileName(QStringLiteral("org.batchpeak.Batchpeak"));
    QApplication::setWindowIcon(batchpeak::appIcon());

    batchpeak::ui::MainWindow window;
    StartupTrace trace(&window, startOfMain);
    batchpeak::engine::ExplorationRecorder recorder(window.exploration(),
                                                    batchpeak::store::ExplorationStore::defaultPath());
    // The window only draws; the code that opens it stores its explorations.
    QObject::connect(&recorder, &batchpeak::engine::ExplorationRecorder::message, &window,
                     &batchpeak::ui::MainWindow::tellOfHistory);
    window.setHistory(batchpeak::store::ExplorationStore::defaultPath());
    const batchpeak::cli::SignalRelay relay;
    QObject::connect(&relay, &batchpeak::cli::SignalRelay::interrupted, &window,
                     &batchpeak::ui::MainWindow::stopAndClose);
    // The end of the session leaves no time for questions to the user.
    QObject::connect(&application, &QGuiApplication::commitDataRequest, &window,
                     &batchpeak::ui::MainWindow::stopAndClose, Qt::DirectConnection);
    window.setOptions(request.options, request.givenNames);
    const bool opened = !request.file.isEmpty() && window.openConfig(request.file, request.model);
    window.show();
    if (!request.watch.isEmpty())
        window.follow(request.watch);
    if (!request.download.isEmpty() && request.download != QLatin1String("never"))
        window.downloadNetwork(/*isAllowed=*/true);
    if (opened && request.start)
        window.startExploring();
    return QApplication::exec();
}

int run(int argc, char** argv)
{
    const auto startOfMain = std::chrono::steady_clock::now();
    occupyStandardStreams();
    if (const auto code = batchpeak::cli::resolveSurroundings())
        return *code;
    batchpeak::cli::CommandLine commandLine;
    if (const auto code = commandLine.parse(argc, argv))
        return *code;

    const auto request = commandLine.windowRequest();
    if (request && hasDisplay()) {
        if (const auto code = batchpeak::cli::refuseTooFewThreads())
            return *code;
        return openWindow(argc, argv, *request, startOfMain);
    }

    qInstallMessageHandler(leaveUnsaid);
    const QCoreApplication application(argc, argv);
    nameApplication();
    return request ? commandLine.runWithoutDisplay() : commandLine.run();
}

} // namespace

int main(int argc, char** argv)
{
    wordsOfMain = argv;
    // Then a limit of file sizes acts like a full disk, which is reported wherever something is written.
    std::signal(SIGXFSZ, SIG_IGN);
    try {
        return run(argc, argv);
    } catch (const std::bad_alloc&) {
        // Memory ran out before a command line existed that reports it.
        return batchpeak::cli::endWithoutMemory();
    }
}
