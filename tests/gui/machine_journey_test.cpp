// The machine that the window runs on as hardware: looked at, and what it takes to measure it.
#include "gui/window/machine_dialog.h"
#include "tests/gui/used_window.h"

#include <QAction>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>

namespace fabricast {
namespace machine_journey_test {

void waitFor(const MachineDialog& dialog) {
    constexpr int kLongestMilliseconds = 60'000;
    ASSERT_TRUE(QTest::qWaitFor([&] { return !dialog.isWorking(); }, kLongestMilliseconds));
}

TEST(MachineJourney, SaysWhatTheMachineIsAndWhatIsMissing) {
    UsedWindow used({smallQuestion(), {}});
    used.window.findChild<QAction*>("action.machine")->trigger();
    auto& dialog = used.find<MachineDialog>("machine");
    EXPECT_TRUE(used.find<QPushButton>("machine.stop").isEnabled());
    waitFor(dialog);
    EXPECT_FALSE(used.find<QPushButton>("machine.stop").isEnabled());
    const QString words = used.find<QPlainTextEdit>("machine.words").toPlainText();
    const QString state = used.find<QLabel>("machine.state").text();
    EXPECT_TRUE(words.contains("be measured here") || state.contains("cannot be told"))
        << (words + state).toStdString();
    used.find<QPushButton>("machine.close").click();
    EXPECT_FALSE(used.window.session().history().canUndo());
}

TEST(MachineJourney, WithoutTheProgramsItSaysWhatToBuild) {
    UsedWindow used({smallQuestion(), {}});
    MachineDialog dialog(
        used.window.session(), {.probes = used.folder.path().toStdString()}, nullptr);
    dialog.show();
    waitFor(dialog);
    EXPECT_TRUE(dialog.findChild<QLabel*>("machine.state")->text().contains("--probes"));
    EXPECT_FALSE(dialog.findChild<QPushButton*>("machine.measure")->isEnabled());
}

TEST(MachineJourney, MeasuresWhatThereIsAndSaysWhatBecameOfIt) {
    UsedWindow used({smallQuestion(), {}});
    const std::string folder = used.folder.filePath("measured").toStdString();
    MachineDialog dialog(used.window.session(), {.measured = folder, .seconds = 3.0}, nullptr);
    dialog.show();
    waitFor(dialog);
    auto* measure = dialog.findChild<QPushButton*>("machine.measure");
    if (!measure->isEnabled()) {
        GTEST_SKIP() << "no program that measures is built";
    }
    measure->click();
    EXPECT_TRUE(dialog.findChild<QPushButton*>("machine.stop")->isEnabled());
    waitFor(dialog);
    const QString state = dialog.findChild<QLabel*>("machine.state")->text();
    EXPECT_TRUE(state.startsWith("Measured") || state.startsWith("Nothing was measured"))
        << state.toStdString();
    EXPECT_TRUE(measure->isEnabled());
}

TEST(MachineJourney, AStopWhileItLooksLeavesAllAsItWas) {
    UsedWindow used({smallQuestion(), {}});
    MachineDialog dialog(used.window.session(), {}, nullptr);
    dialog.show();
    dialog.findChild<QPushButton*>("machine.stop")->click();
    EXPECT_TRUE(dialog.findChild<QLabel*>("machine.state")->text().contains("Stopped"));
    waitFor(dialog);
}

}  // namespace machine_journey_test
}  // namespace fabricast
