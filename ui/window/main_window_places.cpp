// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// How the window shows places, and takes those for the next exploration.
#include "exploration/exploration_view.h"
#include "main_window.h"
#include "places_dialog.h"
#include "places_model.h"
#include "plan_page/plan_view.h"

namespace batchpeak::ui {

void MainWindow::showPlaces()
{
    const bool isForPlan = isPlanShown();
    m_places->setChosen(asked() ? asked()->options.places : QStringList());
    PlacesDialog dialog(m_places, isForPlan, m_theme, this);
    const bool isChosen = dialog.exec() == QDialog::Accepted;
    // An exploration may have begun meanwhile.
    if (!isPlanShown())
        return;
    m_view->plan()->setPlaceFacts([this](const QString& place) { return m_places->devicesText(place); });
    if (isForPlan && isChosen)
        m_view->plan()->choosePlaces(m_places->chosen());
}

} // namespace batchpeak::ui
