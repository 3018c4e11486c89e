#include "gui/window/main_window.h"

#include "gui/pages/compare_page.h"
#include "gui/pages/cost_page.h"
#include "gui/pages/elided_label.h"
#include "gui/pages/evidence_page.h"
#include "gui/pages/explain_page.h"
#include "gui/pages/hardware_page.h"
#include "gui/pages/layouts_page.h"
#include "gui/pages/memory_page.h"
#include "gui/pages/next_step.h"
#include "gui/pages/scenario_panel.h"
#include "gui/pages/sensitivity_page.h"
#include "gui/pages/timeline_page.h"
#include "gui/pages/topology_page.h"
#include "gui/pages/verdict_strip.h"
#include "gui/window/command_palette.h"
#include "gui/window/notice_bar.h"
#include "gui/window/shortcut_list.h"
#include "gui/window/study_files.h"
#include "gui/window/why_dialog.h"
#include "gui/window/window_menus.h"

#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QDockWidget>
#include <QPushButton>
#include <QSettings>
#include <QStatusBar>
#include <QTabWidget>
#include <QVBoxLayout>
#include <utility>

namespace fabricast {

MainWindow::MainWindow(Workbench bench, const SavedStudy& study, const WindowSetup& setup)
    : setup_(setup),
      session_(new StudySession(std::move(bench), study.question, this)),
      files_(new StudyFiles(
          *session_, setup.recoveryFolder, [this] { return viewState(); }, this)) {
    setObjectName("window");
    addDock();
    addCentre();
    addStatus();
    actions_ = addMenus(*this);
    connect(session_, &StudySession::questionChanged, this, &MainWindow::refreshCommand);
    connect(session_, &StudySession::questionChanged, this, &MainWindow::refreshTitle);
    connect(files_, &StudyFiles::opened, this, [this](const ViewState& view) {
        showPage(QString::fromStdString(view.page));
    });
    session_->choose(study.view.chosen, study.view.other);
    refreshCommand();
    refreshTitle();
    showPage(QString::fromStdString(study.view.page));
    resize(1280, 800);
    resizeDocks({dock_}, {344}, Qt::Horizontal);
    recall();
    offerRecovery();
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
    tabs_ = new QTabWidget;
    tabs_->setObjectName("pages");
    tabs_->setDocumentMode(true);
    tabs_->setUsesScrollButtons(true);
    auto* centre = new QWidget;
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(notice_);
    column->addWidget(verdict_);
    auto* next = new NextStep(*session_);
    column->addWidget(next);
    column->addWidget(tabs_, 1);
    setCentralWidget(centre);
    addPages();
    connect(verdict_, &VerdictStrip::whyAsked, this, &MainWindow::showWhy);
    connect(next, &NextStep::pageAsked, this, &MainWindow::showPage);
    connect(next, &NextStep::controlAsked, this, &MainWindow::focusControl);
}

void MainWindow::addPages() {
    addPage(new LayoutsPage(*session_), "Layouts");
    addPage(new ExplainPage(*session_), "Explain");
    addPage(new MemoryPage(*session_), "Memory");
    addPage(new ComparePage(*session_), "Compare");
    addPage(new CostPage(*session_), "Cost");
    addPage(new HardwarePage(*session_), "Hardware");
    addPage(new SensitivityPage(*session_), "What if");
    addPage(new TimelinePage(*session_), "Timeline");
    addPage(new TopologyPage(*session_), "Network");
    addPage(new EvidencePage(*session_), "Evidence");
}

void MainWindow::addPage(Page* page, const QString& title) {
    tabs_->addTab(page, title);
    connect(page, &Page::whyAsked, this, &MainWindow::showWhy);
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
    QStringList names;
    for (int i = 0; i < tabs_->count(); ++i) {
        names << qobject_cast<Page*>(tabs_->widget(i))->name();
    }
    return names;
}

QString MainWindow::pageTitle(const QString& name) const {
    return tabs_->tabText(static_cast<int>(pageNames().indexOf(name)));
}

bool MainWindow::showPage(const QString& name) {
    const auto place = pageNames().indexOf(name);
    if (place >= 0) {
        tabs_->setCurrentIndex(static_cast<int>(place));
    }
    return place >= 0;
}

Page* MainWindow::page() const {
    return qobject_cast<Page*>(tabs_->currentWidget());
}

bool MainWindow::isIdle() const {
    return !session_->isWorking() && !page()->isWaiting();
}

ViewState MainWindow::viewState() const {
    return {.page = page()->name().toStdString(),
            .chosen = session_->a().typed,
            .other = session_->b().typed};
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

void MainWindow::copyCommand() {
    QApplication::clipboard()->setText(command_->words());
}

void MainWindow::focusControl(const QString& path) {
    dock_->show();
    if (QWidget* control = scenario_->control(path)) {
        control->setFocus(Qt::ShortcutFocusReason);
    }
}

void MainWindow::refreshCommand() {
    command_->setWords("fabricast plan " + QString::fromStdString(typed(session_->question())));
}

void MainWindow::refreshTitle() {
    const Question& question = session_->question();
    const QString name = question.file.empty()
                             ? QString("new study")
                             : QString::fromStdString(question.file).section('/', -1);
    setWindowTitle(name + "[*] – Fabricast");
    setWindowModified(!session_->history().isSaved());
}

void MainWindow::offerRecovery() {
    const QStringList left = files_->left();
    if (!left.isEmpty()) {
        const QString file = left.front();
        notice_->say(
            "The window was closed before its study was saved.",
            {{"notice.recover", "Recover it", [this, file] { (void)files_->recover(file); }},
             {"notice.discard", "Discard it", [this, file] { files_->discard(file); }}});
    } else if (setup_.isExample) {
        notice_->say(
            "This is a worked example: what does Llama 3.1 8B take on two servers? Change the "
            "model and the hardware on the left; every number follows.",
            {{"notice.open", "Open a file …", [this] { files_->openWithDialog(); }},
             {"notice.ok", "OK", {}}});
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
