#pragma once
#include "gui/document/saved_study.h"
#include "gui/jobs/study_session.h"
#include "gui/pages/page.h"
#include "gui/window/chart_actions.h"
#include "gui/window/theme.h"

#include <QMainWindow>
#include <QPointer>
#include <QString>
#include <functional>
#include <vector>

class QAction;
class QDockWidget;
class QPushButton;

namespace fabricast {

class ElidedLabel;
class NextStep;
class NoticeBar;
class PageTabs;
class PlotWidget;
class ScenarioPanel;
class StudyExports;
class StudyFiles;
class Tour;
class VerdictStrip;

/// Where a window keeps what it remembers.
struct WindowSetup {
    QString recoveryFolder;
    QString measuredFolder{};  ///< of what was measured of this machine
    QString probes{};          ///< folder of the programs that measure; empty: the usual places
    bool remembers = false;    ///< its place and theme
    bool isExample = false;    ///< the study is one to start from
    QString trouble{};         ///< why the file that was asked for is not what is shown
};

/// This is the window: the scenario on the left, the verdict above, a page below it, and the
/// command line that asks the same at the bottom.
class MainWindow final : public QMainWindow {
    Q_OBJECT

public:
    MainWindow(Workbench bench, const SavedStudy& study, const WindowSetup& setup);
    ~MainWindow() override;
    MainWindow(const MainWindow&) = delete;
    MainWindow& operator=(const MainWindow&) = delete;

    [[nodiscard]] StudySession& session() { return *session_; }
    [[nodiscard]] StudyFiles& files() { return *files_; }
    [[nodiscard]] const ScenarioPanel& scenario() const { return *scenario_; }
    [[nodiscard]] StudyExports& exports() { return *exports_; }
    /// Pages by their names: "layouts", "memory", …
    [[nodiscard]] QStringList pageNames() const;
    [[nodiscard]] NextStep& nextStep() { return *next_; }
    [[nodiscard]] QString pageTitle(const QString& name) const;
    [[nodiscard]] std::vector<QPushButton*> pageButtons(const QString& name) const;
    /// By its name or by what its tab shows: "topology", "network". False where there is none.
    bool showPage(const QString& name);
    [[nodiscard]] Page* page() const;
    /// Nothing is being worked out.
    [[nodiscard]] bool isIdle() const;
    [[nodiscard]] ViewState viewState() const;

    void showWhy(const QString& key);
    void showPalette();
    void showShortcuts();
    void showTour();
    void showMachine();
    void chooseTheme(Theme theme);
    void copyCommand();
    /// Does something with the page's chart, or says that there is none.
    void withChart(const std::function<void(const PlotWidget&)>& act);
    /// The same with the table of the page in view, which may be that of its chart.
    void withTable(const std::function<void(const Table&)>& act);
    /// What that chart is of.
    [[nodiscard]] ChartAbout chartAbout() const;
    /// Where something went; empty: nothing was written.
    void sayWritten(const QString& file);
    void focusControl(const QString& path);
    [[nodiscard]] QDockWidget* scenarioDock() const { return dock_; }

protected:
    void closeEvent(QCloseEvent* event) override;

private:
    void addDock();
    void addCentre();
    void addStatus();
    void refreshCommand();
    void refreshTitle();
    /// A study that was left after a crash, and after it the next; false where there is none.
    bool offerLeft();
    void offer(const QString& file);
    void offerStart();
    void offerTour();
    void remember() const;
    void recall();

    WindowSetup setup_;
    StudySession* session_ = nullptr;
    StudyFiles* files_ = nullptr;
    StudyExports* exports_ = nullptr;
    ScenarioPanel* scenario_ = nullptr;
    VerdictStrip* verdict_ = nullptr;
    NoticeBar* notice_ = nullptr;
    NextStep* next_ = nullptr;
    QDockWidget* dock_ = nullptr;
    PageTabs* tabs_ = nullptr;
    QPointer<Tour> tour_;
    ElidedLabel* command_ = nullptr;
    std::vector<QAction*> actions_;
};

}  // namespace fabricast
