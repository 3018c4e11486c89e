#pragma once
#include "gui/document/saved_study.h"
#include "gui/jobs/study_session.h"
#include "gui/pages/page.h"

#include <QMainWindow>
#include <QString>
#include <vector>

class QLabel;
class QTabWidget;

namespace fabricast {

class ScenarioPanel;
class VerdictStrip;

/// This is the window: the scenario on the left, the verdict above, a page below it, and the
/// command line that asks the same at the bottom.
class MainWindow final : public QMainWindow {
    Q_OBJECT

public:
    MainWindow(Workbench bench, SavedStudy study);

    [[nodiscard]] StudySession& session() { return *session_; }
    /// Pages by their names: "layouts", "memory", …
    [[nodiscard]] QStringList pageNames() const;
    /// False where there is none of this name.
    bool showPage(const QString& name);
    [[nodiscard]] Page* page() const;
    /// Nothing is being worked out.
    [[nodiscard]] bool isIdle() const;
    [[nodiscard]] ViewState viewState() const;
    void open(SavedStudy study);

private:
    void addPages();
    void addPage(Page* page, const QString& title);
    void refreshCommand();
    void refreshTitle();

    StudySession* session_ = nullptr;
    ScenarioPanel* scenario_ = nullptr;
    VerdictStrip* verdict_ = nullptr;
    QTabWidget* tabs_ = nullptr;
    QLabel* command_ = nullptr;
};

}  // namespace fabricast
