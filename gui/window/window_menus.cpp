#include "gui/window/window_menus.h"

#include "gui/pages/next_step.h"
#include "gui/pages/scenario_panel.h"
#include "gui/window/chart_actions.h"
#include "gui/window/main_window.h"
#include "gui/window/study_exports.h"
#include "gui/window/study_files.h"

#include <QAction>
#include <QComboBox>
#include <QDockWidget>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <algorithm>
#include <functional>

namespace fabricast {
namespace {

/// One thing that the window can do.
struct MenuEntry {
    QString name;
    QString title;
    QKeySequence keys;
    std::function<void()> act;
    QString words{};  ///< by which it is found too
};

/// Fills menus, and keeps what is in them.
class MenuBuilder {
public:
    explicit MenuBuilder(MainWindow& window) : window_(window) {}

    void begin(const QString& title) { menu_ = window_.menuBar()->addMenu(title); }
    /// What is added next is in a menu of this one.
    void beginInside(const QString& title) { menu_ = menu_->addMenu(title); }
    /// After that what is added next is in this one again.
    void inside(const std::function<void()>& add) {
        QMenu* const outer = menu_;
        add();
        menu_ = outer;
    }
    QAction* add(const MenuEntry& entry) {
        QAction* action = menu_->addAction(entry.title);
        action->setObjectName("action." + entry.name);
        action->setShortcut(entry.keys);
        action->setData(entry.words);
        QObject::connect(action, &QAction::triggered, &window_, [act = entry.act] { act(); });
        actions_.push_back(action);
        return action;
    }
    void separate() { menu_->addSeparator(); }
    [[nodiscard]] const std::vector<QAction*>& all() const { return actions_; }

private:
    MainWindow& window_;
    QMenu* menu_ = nullptr;
    std::vector<QAction*> actions_;
};

void addFileMenu(MenuBuilder& menus, MainWindow& window) {
    menus.begin("&File");
    menus.add({"open", "&Open …", QKeySequence::Open, [&] { window.files().openWithDialog(); }});
    menus.add({"save", "&Save", QKeySequence::Save, [&] { window.files().save(); }});
    menus.add(
        {"saveAs", "Save &as …", QKeySequence("Ctrl+Shift+S"), [&] { window.files().saveAs(); }});
    menus.separate();
    menus.add({"exportChart", "&Export the chart …", QKeySequence("Ctrl+E"), [&] {
                   window.withChart([&](const PlotWidget& chart) {
                       window.sayWritten(exportChart(chart, window.chartAbout(), &window));
                   });
               }});
    menus.add({"exportTable", "Export the ta&ble …", QKeySequence("Ctrl+Alt+E"), [&] {
                   window.withTable([&](const Table& table) {
                       window.sayWritten(exportTable(table, window.chartAbout(), &window));
                   });
               }});
    menus.add({"exportReport", "Export the &report …", QKeySequence("Ctrl+Shift+E"), [&] {
                   window.exports().exportReport();
               }});
    menus.add({"exportTrace", "Export the &trace of the step …", {}, [&] {
                   window.exports().exportTrace();
               }});
    menus.add({"quit", "&Quit", QKeySequence("Ctrl+Q"), [&] { window.close(); }});
}

/// Undo and redo say what they would take back or make again.
void followHistory(MainWindow& window, QAction* undo, QAction* redo) {
    const auto refresh = [&window, undo, redo] {
        const History& history = window.session().history();
        undo->setEnabled(history.canUndo());
        redo->setEnabled(history.canRedo());
        undo->setText(history.canUndo() ? "&Undo: " + QString::fromStdString(history.undoTitle())
                                        : QString("&Undo"));
        redo->setText(history.canRedo() ? "&Redo: " + QString::fromStdString(history.redoTitle())
                                        : QString("&Redo"));
    };
    QObject::connect(&window.session(), &StudySession::questionChanged, undo, refresh);
    refresh();
}

void addEditMenu(MenuBuilder& menus, MainWindow& window) {
    menus.begin("&Edit");
    QAction* undo =
        menus.add({"undo", "&Undo", QKeySequence::Undo, [&] { window.session().undo(); }});
    QAction* redo = menus.add(
        {"redo", "&Redo", QKeySequence("Ctrl+Shift+Z"), [&] { window.session().redo(); }});
    followHistory(window, undo, redo);
    menus.separate();
    menus.add({"copyCommand", "&Copy as command line", QKeySequence("Ctrl+Shift+C"), [&] {
                   window.copyCommand();
               }});
    menus.add({"copyChart", "Copy the cha&rt as a picture", {}, [&] {
                   window.withChart(
                       [&](const PlotWidget& chart) { copyChart(chart, window.chartAbout()); });
               }});
    menus.add({"copyTable", "Copy the &table as Markdown", QKeySequence("Ctrl+Alt+C"), [&] {
                   window.withTable(&copyTable);
               }});
    menus.separate();
    menus.add({"swap", "S&wap A and B", QKeySequence("Ctrl+D"), [&] { window.session().swap(); }});
    menus.add({"clearB", "Compare with &nothing", {}, [&] { window.session().clearB(); }});
}

QKeySequence keysOfControl(const QString& path) {
    return path == "model"           ? QKeySequence("Ctrl+M")
           : path == "cluster.name"  ? QKeySequence("Ctrl+H")
           : path == "cluster.nodes" ? QKeySequence("Ctrl+N")
                                     : QKeySequence();
}

/// What a control is about: its key, its flag, what it does and what there is to choose.
QString wordsOf(const KeyControl& control) {
    const ControlAbout& about = control.about();
    QString words = about.path + " " + about.origin + " " + about.help;
    for (const QComboBox* box : control.findChildren<QComboBox*>()) {
        for (int i = 0; i < box->count() && !box->isEditable(); ++i) {
            words += " " + box->itemData(i).toString();
        }
    }
    return words;
}

/// What the button beside the next step does.
void addNextStep(MenuBuilder& menus, MainWindow& window) {
    NextStep& next = window.nextStep();
    QAction* action = menus.add({"nextStep", "Next step", {}, [&next] { next.act(); }});
    const auto refresh = [&next, action] {
        action->setEnabled(!next.button().isEmpty());
        action->setText(next.button().isEmpty() ? "Next step" : "Next step: " + next.button());
        action->setData(next.words());
    };
    QObject::connect(&next, &NextStep::changed, action, refresh);
    refresh();
}

/// What the buttons of the pages do that no menu does, each on its page.
void addPageButtons(MenuBuilder& menus, MainWindow& window) {
    menus.beginInside("&Do");
    addNextStep(menus, window);
    const std::vector<QAction*> others = menus.all();
    for (const QString& name : window.pageNames()) {
        for (QPushButton* button : window.pageButtons(name)) {
            const QString title = QString(button->text()).remove('&');
            if (std::ranges::any_of(others, [&title](const QAction* other) {
                    return QString(other->text()).remove('&') == title;
                })) {
                continue;
            }
            menus.add({button->objectName(),
                       title + " (" + window.pageTitle(name) + ")",
                       {},
                       [&window, name, button] {
                           window.showPage(name);
                           button->click();
                       }});
        }
    }
}

/// Each control of the scenario, found by its title and what it is about.
void addControls(MenuBuilder& menus, MainWindow& window) {
    menus.beginInside("&Change");
    for (const KeyControl* control : window.scenario().controls()) {
        const ControlAbout& about = control->about();
        menus.add({"change." + about.path,
                   "Change: " + about.title,
                   keysOfControl(about.path),
                   [&window, path = about.path] { window.focusControl(path); },
                   wordsOf(*control)});
    }
}

void addGoMenu(MenuBuilder& menus, MainWindow& window) {
    menus.begin("&Go");
    int number = 1;
    for (const QString& name : window.pageNames()) {
        const QKeySequence keys =
            number <= 9 ? QKeySequence(QString("Ctrl+%1").arg(number)) : QKeySequence("Ctrl+0");
        menus.add({"page." + name,
                   "Show " + window.pageTitle(name).toLower(),
                   number <= 10 ? keys : QKeySequence(),
                   [&window, name] { window.showPage(name); }});
        ++number;
    }
    menus.separate();
    menus.add({"machine", "Use this &machine …", {}, [&] { window.showMachine(); }});
    menus.inside([&] { addPageButtons(menus, window); });
    menus.inside([&] { addControls(menus, window); });
}

void addViewMenu(MenuBuilder& menus, MainWindow& window) {
    menus.begin("&View");
    menus.add({"light", "&Light colours", {}, [&] { window.chooseTheme(Theme::Light); }});
    menus.add({"dark", "&Dark colours", {}, [&] { window.chooseTheme(Theme::Dark); }});
    menus.add(
        {"system", "Colours of the &desktop", {}, [&] { window.chooseTheme(Theme::System); }});
    menus.separate();
    menus.add({"chartTable", "The chart as a &table", QKeySequence("Ctrl+T"), [&] {
                   window.withChart(
                       [&](const PlotWidget& chart) { showChartTable(chart, &window); });
               }});
    menus.add({"scenario", "Show or hide the &scenario", QKeySequence("Ctrl+B"), [&] {
                   window.scenarioDock()->setVisible(!window.scenarioDock()->isVisible());
               }});
}

void addHelpMenu(MenuBuilder& menus, MainWindow& window) {
    menus.begin("&Help");
    menus.add(
        {"palette", "Find a &command …", QKeySequence("Ctrl+K"), [&] { window.showPalette(); }});
    menus.add({"tour", "&Tour", {}, [&] { window.showTour(); }});
    menus.add({"shortcuts", "&Keys", QKeySequence("F1"), [&] { window.showShortcuts(); }})
        ->setShortcuts({QKeySequence("F1"), QKeySequence("?")});
}

}  // namespace

std::vector<QAction*> addMenus(MainWindow& window) {
    MenuBuilder menus(window);
    addFileMenu(menus, window);
    addEditMenu(menus, window);
    addGoMenu(menus, window);
    addViewMenu(menus, window);
    addHelpMenu(menus, window);
    return menus.all();
}

}  // namespace fabricast
