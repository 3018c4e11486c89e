#include "gui/pages/page.h"

#include "gui/jobs/study_session.h"

#include <QEvent>

namespace fabricast {

Page::Page(StudySession& session, const QString& name, QWidget* parent)
    : QWidget(parent), session_(session) {
    setObjectName("page." + name);
    connect(&session, &StudySession::answersChanged, this, &Page::refreshSoon);
    connect(&session, &StudySession::viewChanged, this, &Page::refreshSoon);
}

void Page::refreshSoon() {
    isDue_ = true;
    if (isVisible()) {
        isDue_ = false;
        refresh();
    }
}

void Page::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (isDue_) {
        isDue_ = false;
        refresh();
    }
}

void Page::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        refreshSoon();
    }
}

}  // namespace fabricast
