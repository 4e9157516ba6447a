// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "actions/earlier_runs.h"
#include "files/config_file.h"
#include "plan/plan_preview.h"
#include "theme/theme.h"
#include "workers/python_stack.h"

#include <QWidget>

#include <functional>
#include <optional>
#include <vector>

class QGridLayout;
class QLabel;
class QPushButton;
class QScrollArea;
class QVBoxLayout;

namespace batchpeak::ui {

class Card;
class DeviceList;
class ElidedLabel;
class MemoryBars;
class OptionForm;
class ProgramCard;
class WindowActions;

/// The page that is shown before the start: what was read, the known memory, the sizes that will be
/// considered, and all options that can be changed.
///
/// It shows a PlanPreview, and forwards the user's requests. Only the actions start anything from here.
class PlanView : public QWidget
{
    Q_OBJECT

public:
    explicit PlanView(WindowActions* actions, QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// \param path  path of the store, which tells how long earlier explorations took; if empty, that is
    ///              unknown
    void setHistory(const QString& path) { m_historyPath = path; }
    void setConfig(const engine::ConfigFile& file, const engine::ExplorationOptions& options);
    /// Sets the earlier explorations of the config, newest first; the first few of them are offered.
    void setEarlier(const std::vector<EarlierRuns::Entry>& runs);
    /// Sets a sentence about an exploration of another window or terminal that the start would disturb.
    /// \param sentence  empty if there is none
    void setElsewhere(const QString& sentence);
    /// Sets the local devices, once they are known, and each time that they are looked for again.
    void setDevices(const device::LocalDevices& devices);
    /// Sets what is known of the devices of places, by what the options call them; empty for others.
    void setPlaceFacts(std::function<QString(const QString& place)> facts);
    /// Chooses places as if the user had typed them.
    /// \param places  empty for this computer
    void choosePlaces(const QStringList& places);
    /// Sets what the interpreter has, the one that the options name or the default one; nothing while it is
    /// being queried.
    void setPython(const std::optional<engine::PythonStack>& python);
    /// Returns a full sentence that says why nothing can be started; empty if something can.
    QString problem() const;
    /// Whether the only problem is that the Python interpreter is still being queried.
    bool isAskingPython() const;
    const engine::PlanPreview& preview() const { return m_preview; }
    /// Returns the command that does the same in a terminal; empty if there is no plan, or if a field's input
    /// is invalid.
    QString command() const;

    QSize minimumSizeHint() const override;

signals:
    /// The user has changed the options, and the input is valid; problem() says whether the config allows it.
    void optionsChanged(const batchpeak::engine::ExplorationOptions& options);
    void problemChanged();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makePlan();
    QWidget* makeSide(WindowActions* actions);
    QWidget* makeOtherWays(WindowActions* actions);
    void chooseDevices(const QStringList& ids);
    void choosePython(const QString& python);
    void showDevices();
    void showPrograms();
    void takeOptions(const engine::ExplorationOptions& options);
    void refresh();
    void showValues();
    bool hasRoomForPlace(const QString& value) const;
    void addValueRow();
    void setWide(std::size_t row, bool isWide);
    /// \param label  fidelity of a row that labels numbers; null for any other row
    void showTone(QLabel* value, const config::Fidelity* label);
    QPushButton* makeEarlierButton(const QString& text);
    void showOffers();
    QWidget* makeOffer(const engine::PlanOffer& offer);
    void showReady();

    Theme m_theme = Theme::light();
    std::optional<engine::ConfigFile> m_file;
    engine::ExplorationOptions m_options;
    device::LocalDevices m_localDevices;
    std::function<QString(const QString& place)> m_placeFacts = [](const QString&) { return QString(); };
    std::optional<engine::PythonStack> m_python;
    engine::PlanPreview m_preview;
    QString m_historyPath;
    /// Sentences on the expected duration; empty if nothing can be started.
    QString m_forecast;
    /// Whether no device is checked.
    bool m_hasNoTick = false;
    Card* m_planCard = nullptr;
    QScrollArea* m_scroll = nullptr;
    QScrollArea* m_sideScroll = nullptr;
    /// Width between the margins of the card of the values that were read [pixels].
    int m_valuesWidth = 0;
    /// Row of a value that was read.
    struct ValueRow
    {
        QLabel* name = nullptr;
        QLabel* value = nullptr;
        ElidedLabel* place = nullptr;
    };
    QGridLayout* m_values = nullptr;
    std::vector<ValueRow> m_rows;
    QLabel* m_memoryTitle = nullptr;
    QLabel* m_memoryUnit = nullptr;
    MemoryBars* m_memory = nullptr;
    QLabel* m_sizes = nullptr;
    /// One row for each alternative that is offered.
    QVBoxLayout* m_offers = nullptr;
    std::vector<engine::PlanOffer> m_shownOffers;
    OptionForm* m_form = nullptr;
    DeviceList* m_devices = nullptr;
    ProgramCard* m_programs = nullptr;
    Card* m_readyCard = nullptr;
    /// Warning about a run that is possible, but will most likely be in vain.
    QLabel* m_warning = nullptr;
    QLabel* m_ready = nullptr;
    QPushButton* m_start = nullptr;
    /// Alternatives for a config that batchpeak-worker cannot run.
    QWidget* m_otherWays = nullptr;
    QString m_elsewhere;
    QLabel* m_command = nullptr;
    QPushButton* m_copy = nullptr;
    /// Hidden if there are no earlier explorations.
    Card* m_earlier = nullptr;
    struct EarlierRow
    {
        QPushButton* button = nullptr;
        std::function<void()> choose;
    };
    std::vector<EarlierRow> m_earlierRows;
};

} // namespace batchpeak::ui
