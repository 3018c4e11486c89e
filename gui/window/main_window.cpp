#include "gui/window/main_window.h"

#include "gui/pages/elided_label.h"
#include "gui/pages/next_step.h"
#include "gui/pages/scenario_panel.h"
#include "gui/pages/verdict_strip.h"
#include "gui/window/command_palette.h"
#include "gui/window/machine_dialog.h"
#include "gui/window/notice_bar.h"
#include "gui/window/page_tabs.h"
#include "gui/window/shortcut_list.h"
#include "gui/window/study_exports.h"
#include "gui/window/study_files.h"
#include "gui/window/tour.h"
#include "gui/window/why_dialog.h"
#include "gui/window/window_keys.h"
#include "gui/window/window_menus.h"

#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QDockWidget>
#include <QPushButton>
#include <QSettings>
#include <QStatusBar>
#include <QTimer>
#include <QVBoxLayout>
#include <utility>

namespace fabricast {

MainWindow::MainWindow(Workbench bench, const SavedStudy& study, const WindowSetup& setup)
    : setup_(setup),
      session_(new StudySession(std::move(bench), study, this)),
      files_(new StudyFiles(
          *session_, setup.recoveryFolder, [this] { return viewState(); }, this)),
      exports_(new StudyExports(*session_, this)) {
    setObjectName("window");
    addDock();
    addCentre();
    addStatus();
    sayExports(*exports_, *notice_);
    actions_ = addMenus(*this);
    new WindowKeys(*this);
    for (const auto change : {&StudySession::questionChanged,
                              &StudySession::answersChanged,
                              &StudySession::viewChanged}) {
        connect(session_, change, this, &MainWindow::refreshCommand);
    }
    connect(session_, &StudySession::questionChanged, this, &MainWindow::refreshTitle);
    connect(session_, &StudySession::questionChanged, notice_, &NoticeBar::leavePage);
    connect(session_,
            &StudySession::softwareChanged,
            notice_,
            [this](const QString& before, const QString& now) {
                notice_->sayOfPage("Applied. The best layout is now one of " + now +
                                   "; it was one of " + before + ".");
            });
    connect(files_, &StudyFiles::modelTaken, notice_, [this](const QString& file) {
        notice_->sayOfPage("This study is now of the model of " + file +
                           ", and else as before (Ctrl+Z takes it back).");
    });
    connect(files_, &StudyFiles::opened, this, [this](const ViewState& view) {
        notice_->hide();  // it was of the study before
        offerLeft();
        showPage(QString::fromStdString(view.page));
    });
    refreshCommand();
    refreshTitle();
    showPage(QString::fromStdString(study.view.page));
    tabs_->setFocus();  // in no field, where letters would be typed
    resize(1280, 800);
    resizeDocks({dock_}, {372}, Qt::Horizontal);
    recall();
    offerStart();
    offerTour();
}

/// A field that loses the keys says what is typed in it: while all is there that hears it.
MainWindow::~MainWindow() {
    hide();
}

void MainWindow::addDock() {
    scenario_ = new ScenarioPanel(*session_);
    dock_ = new QDockWidget("Scenario");
    dock_->setObjectName("dock.scenario");
    dock_->setWidget(scenario_);
    dock_->setFeatures(QDockWidget::DockWidgetMovable | QDockWidget::DockWidgetClosable);
    addDockWidget(Qt::LeftDockWidgetArea, dock_);
}

void MainWindow::addCentre() {
    verdict_ = new VerdictStrip(*session_);
    notice_ = new NoticeBar;
    tabs_ = new PageTabs(*session_);
    auto* centre = new QWidget;
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(notice_);
    column->addWidget(verdict_);
    next_ = new NextStep(*session_);
    column->addWidget(next_);
    column->addWidget(tabs_, 1);
    setCentralWidget(centre);
    connect(tabs_, &PageTabs::whyAsked, this, &MainWindow::showWhy);
    connect(tabs_, &PageTabs::currentChanged, notice_, &NoticeBar::leavePage);
    connect(tabs_, &PageTabs::currentChanged, files_, &StudyFiles::keepSoon);
    connect(scenario_, &ScenarioPanel::sweepAsked, tabs_, &PageTabs::showSweep);
    connect(verdict_, &VerdictStrip::whyAsked, this, &MainWindow::showWhy);
    connect(next_, &NextStep::pageAsked, this, &MainWindow::showPage);
    connect(next_, &NextStep::controlAsked, this, &MainWindow::focusControl);
}

void MainWindow::addStatus() {
    command_ = new ElidedLabel("command");
    command_->setAccessibleDescription("The command line that asks the same");
    auto* copy = new QPushButton("Copy");
    copy->setObjectName("command.copy");
    copy->setToolTip("Copies the command line that asks the same");
    connect(copy, &QPushButton::clicked, this, &MainWindow::copyCommand);
    statusBar()->addWidget(command_, 1);
    statusBar()->addPermanentWidget(copy);
}

QStringList MainWindow::pageNames() const {
    return tabs_->names();
}

QString MainWindow::pageTitle(const QString& name) const {
    return tabs_->titleOf(name);
}

std::vector<QPushButton*> MainWindow::pageButtons(const QString& name) const {
    return tabs_->buttonsOf(name);
}

bool MainWindow::showPage(const QString& name) {
    return tabs_->showPage(name);
}

Page* MainWindow::page() const {
    return tabs_->page();
}

bool MainWindow::isIdle() const {
    return !session_->isWorking() && !page()->isWaiting() && !exports_->isRunning();
}

ViewState MainWindow::viewState() const {
    return {.page = page()->name().toStdString(),
            .chosen = session_->choiceOf(session_->a()),
            .other = session_->choiceOf(session_->b()),
            .failed = joinedNames(session_->failed()),
            .trace = session_->trace(),
            .hardware = session_->hardware()};
}

void MainWindow::showWhy(const QString& key) {
    if (!key.isEmpty()) {
        auto* dialog = new WhyDialog(*session_, key, this);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->open();
    }
}

void MainWindow::showPalette() {
    auto* palette = new CommandPalette(actions_, this);
    palette->setAttribute(Qt::WA_DeleteOnClose);
    palette->open();
}

void MainWindow::showShortcuts() {
    auto* list = new ShortcutList(actions_, this);
    list->setAttribute(Qt::WA_DeleteOnClose);
    list->open();
}

void MainWindow::chooseTheme(Theme theme) {
    applyTheme(theme);
    if (setup_.remembers) {
        QSettings().setValue("theme", static_cast<int>(theme));
    }
}

void MainWindow::showMachine() {
    auto* dialog = new MachineDialog(
        *session_,
        {.probes = setup_.probes.toStdString(), .measured = setup_.measuredFolder.toStdString()},
        this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void MainWindow::showTour() {
    if (tour_ == nullptr) {
        tour_ = new Tour(*this);
        connect(tour_, &Tour::ended, this, [this] {
            if (setup_.remembers) {
                QSettings().setValue("tourSeen", true);
            }
        });
    }
    tour_->goTo(0);
}

void MainWindow::copyCommand() {
    QApplication::clipboard()->setText(command_->words());
}

void MainWindow::withChart(const std::function<void(const PlotWidget&)>& act) {
    if (const PlotWidget* chart = page()->chart()) {
        act(*chart);
    } else {
        notice_->sayOfPage("\"" + pageTitle(page()->name()) +
                           "\" shows no chart now. Ctrl+Alt+E saves its table.");
    }
}

void MainWindow::withTable(const std::function<void(const Table&)>& act) {
    const std::optional<Table> table = page()->table();
    if (table && !table->rows.empty()) {
        act(*table);
    } else {
        notice_->sayOfPage("\"" + pageTitle(page()->name()) + "\" shows no table now.");
    }
}

void MainWindow::sayWritten(const QString& file) {
    if (!file.isEmpty()) {
        notice_->sayOfPage("Written: " + file);
    }
}

ChartAbout MainWindow::chartAbout() const {
    const std::vector<Plan>& plans = session_->answers().shown();
    return {.page = pageTitle(page()->name()),
            .model = plans.empty() ? QString()
                                   : QString::fromStdString(plans.front().scenario.model.name),
            .subject = verdict_->subject()};
}

void MainWindow::focusControl(const QString& path) {
    dock_->show();
    scenario_->focusControl(path);
}

void MainWindow::refreshCommand() {
    command_->setWords(QString::fromStdString(session_->command()));
}

void MainWindow::refreshTitle() {
    const Question& question = session_->question();
    const QString name = question.file.empty()
                             ? QString("new study")
                             : QString::fromStdString(question.file).section('/', -1);
    setWindowTitle(name + "[*] – Fabricast");
    setWindowModified(!session_->history().isSaved());
}

bool MainWindow::offerLeft() {
    const QString file = files_->claimNewest();
    if (file.isEmpty()) {
        return false;
    }
    offer(file);
    return true;
}

void MainWindow::offer(const QString& file) {
    const qsizetype more = files_->left().size() - 1;
    notice_->say("The window was closed before its study was saved: " + StudyFiles::wordsOf(file) +
                     "." + (more > 0 ? QString(" After it %1 more.").arg(more) : QString()),
                 {{"notice.recover",
                   "Recover it",
                   [this, file] {
                       files_->recoverAsked(file);
                       offerLeft();
                   }},
                  {"notice.discard", "Discard it", [this, file] {
                       if (files_->discardAsked(file)) {
                           offerLeft();
                       } else {
                           offer(file);
                       }
                   }}});
}

void MainWindow::offerStart() {
    if (!setup_.trouble.isEmpty()) {
        notice_->say(setup_.trouble,
                     {{"notice.open", "Open a file …", [this] { files_->openWithDialog(); }},
                      {"notice.ok", "OK", [this] { offerLeft(); }}});
    } else if (!offerLeft() && setup_.isExample) {
        notice_->say(
            "This is a worked example: what does Llama 3.1 8B take on two servers? Change the "
            "model and the hardware on the left; every number follows.",
            {{"notice.open", "Open a file …", [this] { files_->openWithDialog(); }},
             {"notice.ok", "OK", {}}});
    }
}

void MainWindow::offerTour() {
    if (setup_.remembers && !QSettings().value("tourSeen", false).toBool()) {
        QTimer::singleShot(0, this, &MainWindow::showTour);  // once there is a size
    }
}

void MainWindow::recall() {
    if (setup_.remembers) {
        const QSettings settings;
        restoreGeometry(settings.value("geometry").toByteArray());
        restoreState(settings.value("docks").toByteArray());
    }
}

void MainWindow::remember() const {
    if (setup_.remembers) {
        QSettings settings;
        settings.setValue("geometry", saveGeometry());
        settings.setValue("docks", saveState());
    }
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (files_->mayClose()) {
        remember();
        event->accept();
    } else {
        event->ignore();
    }
}

}  // namespace fabricast
