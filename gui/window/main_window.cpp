#include "gui/window/main_window.h"

#include "gui/pages/layouts_page.h"
#include "gui/pages/scenario_panel.h"
#include "gui/pages/verdict_strip.h"

#include <QDockWidget>
#include <QLabel>
#include <QPushButton>
#include <QStatusBar>
#include <QTabWidget>
#include <QVBoxLayout>
#include <utility>

namespace fabricast {

MainWindow::MainWindow(Workbench bench, SavedStudy study)
    : session_(new StudySession(std::move(bench), study.question, this)),
      scenario_(new ScenarioPanel(*session_)),
      verdict_(new VerdictStrip(*session_)),
      tabs_(new QTabWidget),
      command_(new QLabel) {
    setObjectName("window");
    auto* dock = new QDockWidget("Scenario");
    dock->setObjectName("dock.scenario");
    dock->setWidget(scenario_);
    dock->setFeatures(QDockWidget::DockWidgetMovable | QDockWidget::DockWidgetClosable);
    addDockWidget(Qt::LeftDockWidgetArea, dock);
    auto* centre = new QWidget;
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(verdict_);
    column->addWidget(tabs_, 1);
    tabs_->setObjectName("pages");
    tabs_->setDocumentMode(true);
    setCentralWidget(centre);
    addPages();
    command_->setObjectName("command");
    command_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    command_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    statusBar()->addWidget(command_, 1);
    connect(session_, &StudySession::questionChanged, this, &MainWindow::refreshCommand);
    connect(session_, &StudySession::questionChanged, this, &MainWindow::refreshTitle);
    refreshCommand();
    refreshTitle();
    showPage(QString::fromStdString(study.view.page));
    resize(1280, 800);
    resizeDocks({dock}, {330}, Qt::Horizontal);
}

void MainWindow::addPages() {
    addPage(new LayoutsPage(*session_), "Layouts");
}

void MainWindow::addPage(Page* page, const QString& title) {
    tabs_->addTab(page, title);
}

QStringList MainWindow::pageNames() const {
    QStringList names;
    for (int i = 0; i < tabs_->count(); ++i) {
        names << tabs_->widget(i)->objectName().mid(5);
    }
    return names;
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
    return {.page = page()->objectName().mid(5).toStdString(),
            .chosen = session_->a().typed,
            .other = session_->b().typed};
}

void MainWindow::open(SavedStudy study) {
    session_->open(std::move(study.question), study.view.chosen, study.view.other);
    showPage(QString::fromStdString(study.view.page));
}

void MainWindow::refreshCommand() {
    const QString command = "fabricast plan " + QString::fromStdString(typed(session_->question()));
    command_->setText(command);
    command_->setToolTip(command);
}

void MainWindow::refreshTitle() {
    const Question& question = session_->question();
    const QString name = question.file.empty()
                             ? QString("new study")
                             : QString::fromStdString(question.file).section('/', -1);
    setWindowTitle(name + "[*] – Fabricast");
    setWindowModified(!session_->history().isSaved());
}

}  // namespace fabricast
