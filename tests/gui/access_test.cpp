// Everything can be reached by keys, has a name, and says what it shows.
#include "gui/charts/plot_widget.h"
#include "gui/window/command_palette.h"
#include "gui/window/shortcut_list.h"
#include "gui/window/theme.h"
#include "tests/gui/used_window.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QContextMenuEvent>
#include <QFontMetrics>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSlider>
#include <QSpinBox>
#include <QTabBar>
#include <QTimer>
#include <set>
#include <utility>

namespace fabricast {
namespace {

/// A part that Qt made for a widget of ours.
bool isInside(const QWidget* widget) {
    const QString type = widget->metaObject()->className();
    return widget->objectName().startsWith("qt_") || type.startsWith("QComboBox") ||
           type == "QScrollBar" || type == "QHeaderView" || type == "QTabBar" ||
           type == "QToolButton" || type == "QDockWidgetTitleButton" || type == "QMenuBar" ||
           type == "QLineEditIconButton";
}

TEST(Access, EveryControlHasANameAndSaysWhatItIs) {
    UsedWindow used({smallQuestion(), {}});
    for (const QString& page : used.window.pageNames()) {
        used.window.showPage(page);
        ASSERT_TRUE(used.waits());
    }
    int controls = 0;
    for (const QWidget* widget : used.window.findChildren<QWidget*>()) {
        if ((widget->focusPolicy() & Qt::TabFocus) == 0 || isInside(widget)) {
            continue;
        }
        ++controls;
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        const bool isNamed =
            !widget->accessibleName().isEmpty() || (button != nullptr && !button->text().isEmpty());
        const std::string what = widget->metaObject()->className() + std::string(" ") +
                                 widget->objectName().toStdString();
        const QWidget* owner = widget->parentWidget();
        const bool isPart = owner != nullptr && !owner->accessibleName().isEmpty();
        EXPECT_TRUE(!widget->objectName().isEmpty()) << what;
        EXPECT_TRUE(isNamed || isPart || widget->objectName().endsWith(".scroll") ||
                    widget->objectName() == "pages" || !widget->isVisibleTo(&used.window))
            << what;
    }
    EXPECT_GT(controls, 40);
}

TEST(Access, EveryChartHasATextAlternative) {
    UsedWindow used({smallQuestion({{"workload.tokens", "1B", "--tokens"}}), {}});
    used.window.session().chooseB(1);
    int charts = 0;
    for (const QString& page : used.window.pageNames()) {
        used.window.showPage(page);
        ASSERT_TRUE(used.waits());
        for (const PlotWidget* chart : used.window.page()->findChildren<PlotWidget*>()) {
            ++charts;
            EXPECT_FALSE(chart->accessibleName().isEmpty()) << page.toStdString();
            EXPECT_FALSE(chart->accessibleDescription().isEmpty()) << page.toStdString();
            EXPECT_FALSE(chart->table().rows.empty()) << page.toStdString();
        }
    }
    EXPECT_EQ(charts, 7);
}

TEST(Access, ThePaletteRunsWhatIsTyped) {
    UsedWindow used({smallQuestion(), {}});
    used.window.showPalette();
    auto& words = used.find<QLineEdit>("palette.words");
    QTest::keyClicks(&words, "show evid");
    QTest::keyClick(&words, Qt::Key_Return);
    EXPECT_EQ(used.window.page()->name(), "evidence");
    EXPECT_TRUE(matchesWords("Show evidence", "EVID show"));
    EXPECT_FALSE(matchesWords("Show evidence", "memory"));
}

TEST(Access, ThePaletteFindsEveryControl) {
    UsedWindow used({smallQuestion(), {}});
    used.window.showPalette();
    auto& words = used.find<QLineEdit>("palette.words");
    const auto& found = used.find<QListWidget>("palette.found");
    for (const auto& [typed, title] : {std::pair("GPUs", "Change: GPUs of each"),
                                       std::pair("nodes", "Change: Servers"),
                                       std::pair("sequence", "Change: Sequence length"),
                                       std::pair("batch", "Change: Global batch"),
                                       std::pair("--optimizer", "Change: Optimizer"),
                                       std::pair("qlora", "Change: Tuning"),
                                       std::pair("compare as", "Compare as B"),
                                       std::pair("keep", "Keep this layout")}) {
        words.setText(typed);
        EXPECT_FALSE(found.findItems(title, Qt::MatchStartsWith).isEmpty()) << typed;
    }
    words.setText("next step");
    EXPECT_EQ(found.count(), 1);
    words.setText(used.find<QPushButton>("next.do").text());
    EXPECT_FALSE(found.findItems("Next step:", Qt::MatchStartsWith).isEmpty());
    words.setText("no such thing");
    ASSERT_EQ(found.count(), 1);
    EXPECT_TRUE(found.item(0)->text().startsWith("Nothing found"));
    QTest::keyClick(&words, Qt::Key_Return);
    EXPECT_TRUE(words.isVisible());
    words.setText("global batch");
    QTest::keyClick(&words, Qt::Key_Return);
    EXPECT_EQ(used.window.focusWidget(), &used.find<QLineEdit>("text.workload.global_batch"));
}

TEST(Access, ThePaletteHasTheBestMatchFirst) {
    UsedWindow used({smallQuestion(), {}});
    used.window.showPalette();
    auto& words = used.find<QLineEdit>("palette.words");
    const auto& found = used.find<QListWidget>("palette.found");
    for (const auto& [typed, title] : {std::pair("trace", "Load a measured trace"),
                                       std::pair("save", "Save "),
                                       std::pair("mod", "Change: &Model"),
                                       std::pair("cost", "Show cost"),
                                       std::pair("tensor", "Change: Tensor")}) {
        words.setText(typed);
        EXPECT_TRUE(found.item(0)->text().startsWith(QString(title).remove('&')))
            << typed << ": " << found.item(0)->text().toStdString();
    }
}

/// What the menu at a widget has.
QStringList menuOf(QWidget& widget) {
    QStringList titles;
    QTimer look;
    look.setInterval(10);
    QObject::connect(&look, &QTimer::timeout, [&look, &titles] {
        if (const auto* menu = qobject_cast<const QMenu*>(QApplication::activePopupWidget())) {
            look.stop();
            for (const QAction* action : menu->actions()) {
                titles << QString(action->text()).remove('&');
            }
            QApplication::activePopupWidget()->close();
        }
    });
    look.start();
    const QPoint middle = widget.rect().center();
    QContextMenuEvent event(QContextMenuEvent::Mouse, middle, widget.mapToGlobal(middle));
    QApplication::sendEvent(&widget, &event);
    return titles;
}

TEST(Access, TheMenuOfAControlIsInsideItsFieldToo) {
    UsedWindow used({smallQuestion(), {}});
    for (const char* name : {"number.cluster.nodes",
                             "text.workload.global_batch",
                             "line.model",
                             "choice.workload.optimizer"}) {
        const QStringList titles = menuOf(used.find<QWidget>(name));
        EXPECT_TRUE(titles.contains("Try several values …")) << name;
        EXPECT_TRUE(titles.contains("Back to auto")) << name;
    }
    EXPECT_TRUE(menuOf(used.find<QWidget>("line.model")).join(' ').contains("Paste"));
}

TEST(Access, ThePaletteDoesWhatAButtonOfAPageDoes) {
    UsedWindow used({smallQuestion(), {}});
    used.window.session().chooseA(1);
    ASSERT_TRUE(used.waits());
    used.window.showPage("evidence");
    used.window.showPalette();
    auto& words = used.find<QLineEdit>("palette.words");
    QTest::keyClicks(&words, "compare as b");
    QTest::keyClick(&words, Qt::Key_Return);
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(used.window.page()->name(), "layouts");
    EXPECT_EQ(used.window.session().placeOf(used.window.session().b()), std::size_t{1});
}

/// The letter behind Alt; 0: none.
ushort letterOf(const QString& text) {
    const QKeySequence keys = QKeySequence::mnemonic(text);
    return keys.isEmpty() ? ushort{0} : QChar(keys[0].key()).toLower().unicode();
}

TEST(Access, ALetterBehindAltIsOfOneThingAndGoesToWhereItsValueIsTyped) {
    UsedWindow used({smallQuestion(), {}});
    for (const QString& page : used.window.pageNames()) {
        used.window.showPage(page);
        ASSERT_TRUE(used.waits());
        std::set<ushort> letters;
        const auto expectNew = [&](const QString& text) {
            const ushort letter = letterOf(text);
            EXPECT_TRUE(letter == 0 || letters.insert(letter).second)
                << page.toStdString() << ": " << text.toStdString();
        };
        for (const QAction* menu : used.window.menuBar()->actions()) {
            expectNew(menu->text());
        }
        for (const QLabel* label : used.window.findChildren<QLabel*>()) {
            if (label->isVisible() && label->buddy() != nullptr) {
                expectNew(label->text());
                EXPECT_EQ(qobject_cast<QSlider*>(label->buddy()), nullptr)
                    << label->text().toStdString();
            }
        }
        for (const QAbstractButton* button : used.window.findChildren<QAbstractButton*>()) {
            if (button->isVisible()) {
                expectNew(button->text());
            }
        }
    }
}

TEST(Access, WhatIsHeldIsBoldWhateverItIsTypedInto) {
    UsedWindow used({smallQuestion(), {}});
    auto& nodes = used.find<QSpinBox>("number.cluster.nodes");
    EXPECT_TRUE(nodes.font().bold());
    EXPECT_LE(QFontMetrics(nodes.font()).horizontalAdvance("1,048,576"),
              nodes.findChild<QLineEdit*>()->width());
    EXPECT_TRUE(used.find<QWidget>("text.workload.global_batch").font().bold());
    EXPECT_TRUE(used.find<QWidget>("choice.search.stacks").font().bold());
    EXPECT_FALSE(used.find<QWidget>("number.workload.sequence").font().bold());
    EXPECT_FALSE(used.find<QWidget>("text.workload.tokens").font().bold());
    EXPECT_FALSE(used.find<QWidget>("choice.workload.optimizer").font().bold());
}

TEST(Access, NoTwoCommandsHaveTheSameKeys) {
    UsedWindow used({smallQuestion(), {}});
    std::set<QString> keys;
    std::vector<QAction*> actions;
    for (QAction* action : used.window.findChildren<QAction*>()) {
        if (action->objectName().startsWith("action.")) {
            actions.push_back(action);
        }
        if (!action->shortcut().isEmpty()) {
            EXPECT_TRUE(keys.insert(action->shortcut().toString()).second)
                << action->text().toStdString();
        }
    }
    EXPECT_GT(shortcutTable(actions).rows.size(), keys.size());
}

TEST(Access, TheFormulaOfANumberIsOneClickAway) {
    UsedWindow used({smallQuestion(), {}});
    used.find<QPushButton>("value.step").click();
    const QString formula = used.find<QPlainTextEdit>("why.formula").toPlainText();
    EXPECT_TRUE(formula.startsWith("step time = ")) << formula.toStdString();
    EXPECT_TRUE(used.find<QLabel>("why.command").text().contains("--why time.step"));
    EXPECT_FALSE(formula.contains("--why")) << "terms are buttons";
    for (const char* internal : {"time.", "gemm", "memory_bound"}) {
        EXPECT_FALSE(formula.contains(internal)) << formula.toStdString();
    }
    EXPECT_TRUE(formula.contains(" s matrix products + ")) << formula.toStdString();
    EXPECT_EQ(used.find<QPushButton>("why.term.time.gemm").text(), "matrix products");
    used.find<QPushButton>("why.term.time.gemm").click();
    bool isOpened = false;
    for (const QPlainTextEdit* one : used.window.findChildren<QPlainTextEdit*>("why.formula")) {
        isOpened = isOpened || one->toPlainText().startsWith("matrix products = ");
    }
    EXPECT_TRUE(isOpened);
}

TEST(Access, PalettesAreReadable) {
    for (const Theme theme : {Theme::Light, Theme::Dark}) {
        const QPalette palette = paletteOf(theme);
        for (const auto& [ink, paper] : {std::pair(QPalette::WindowText, QPalette::Window),
                                         std::pair(QPalette::Text, QPalette::Base),
                                         std::pair(QPalette::Text, QPalette::AlternateBase),
                                         std::pair(QPalette::ButtonText, QPalette::Button),
                                         std::pair(QPalette::PlaceholderText, QPalette::Base),
                                         std::pair(QPalette::Link, QPalette::Base)}) {
            EXPECT_GE(contrast(palette.color(ink), palette.color(paper)), 4.5)  // WCAG 2.1 AA
                << palette.color(ink).name().toStdString() << " on "
                << palette.color(paper).name().toStdString();
        }
    }
}

}  // namespace
}  // namespace fabricast
