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

/// What stands in the window before the start: what was read, the memory that is known, the sizes that will
/// be considered, and everything that can be asked for otherwise.
///
/// It shows an PlanPreview, and hands on what a person asks for. Nothing runs from here but by the
/// actions.
class PlanView : public QWidget
{
    Q_OBJECT

public:
    explicit PlanView(WindowActions* actions, QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// \param path  of the store, for what earlier explorations took; without one nobody knows
    void setHistory(const QString& path) { m_historyPath = path; }
    void setConfig(const engine::ConfigFile& file, const engine::ExplorationOptions& options);
    /// What was explored of the config before, the newest first; the first few of them are offered.
    void setEarlier(const std::vector<EarlierRuns::Entry>& runs);
    /// An exploration of another window or terminal that the start would disturb.
    /// \param sentence  empty where there is none
    void setElsewhere(const QString& sentence);
    /// Those that are here, once that is known, and whenever it is looked for again.
    void setDevices(const device::LocalDevices& devices);
    /// What the interpreter has that the options name, or the usual one; nothing while it is asked.
    void setPython(const std::optional<engine::PythonStack>& python);
    /// Why nothing can be started as it stands, as a full sentence; else empty.
    QString problem() const;
    /// Nothing else is the problem than that its Python is being asked what it has.
    bool isAskingPython() const;
    const engine::PlanPreview& preview() const { return m_preview; }
    /// The command that asks for the same in a terminal; empty as long as there is no plan, or a field holds
    /// what is no value.
    QString command() const;

    QSize minimumSizeHint() const override;

signals:
    /// A person has asked for something else, and it can be read; whether the config allows it, problem()
    /// says.
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
    void showPrograms();
    void takeOptions(const engine::ExplorationOptions& options);
    void refresh();
    void showValues();
    bool hasRoomForPlace(const QString& value) const;
    void addValueRow();
    void setWide(std::size_t row, bool isWide);
    /// \param label  of a row that labels numbers; else nothing
    void showTone(QLabel* value, const config::Fidelity* label);
    QPushButton* makeEarlierButton(const QString& text);
    void showOffers();
    QWidget* makeOffer(const engine::PlanOffer& offer);
    void showReady();

    Theme m_theme = Theme::light();
    std::optional<engine::ConfigFile> m_file;
    engine::ExplorationOptions m_options;
    device::LocalDevices m_localDevices;
    std::optional<engine::PythonStack> m_python;
    engine::PlanPreview m_preview;
    QString m_historyPath;
    /// What it will take, as sentences; empty where nothing can be started.
    QString m_forecast;
    /// All ticks are taken away.
    bool m_hasNoTick = false;
    Card* m_planCard = nullptr;
    QScrollArea* m_scroll = nullptr;
    QScrollArea* m_sideScroll = nullptr;
    /// Between the margins of the values that were read.
    int m_valuesWidth = 0;
    /// Of what was read.
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
    /// A row for each of what may be asked for instead.
    QVBoxLayout* m_offers = nullptr;
    std::vector<engine::PlanOffer> m_shownOffers;
    OptionForm* m_form = nullptr;
    DeviceList* m_devices = nullptr;
    ProgramCard* m_programs = nullptr;
    Card* m_readyCard = nullptr;
    /// What warns of a run that is possible, and most likely in vain.
    QLabel* m_warning = nullptr;
    QLabel* m_ready = nullptr;
    QPushButton* m_start = nullptr;
    /// What else can be done with a config that batchpeak-worker cannot run.
    QWidget* m_otherWays = nullptr;
    QString m_elsewhere;
    QLabel* m_command = nullptr;
    QPushButton* m_copy = nullptr;
    /// Hidden where there is none.
    Card* m_earlier = nullptr;
    struct EarlierRow
    {
        QPushButton* button = nullptr;
        std::function<void()> choose;
    };
    std::vector<EarlierRow> m_earlierRows;
};

} // namespace batchpeak::ui
