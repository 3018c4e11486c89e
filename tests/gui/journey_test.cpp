// What a user does, by the names of the widgets; the numbers are those of study's own answers.
#include "gui/models/plan_rows.h"
#include "gui/pages/table_view.h"
#include "gui/window/main_window.h"
#include "study/plan.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <string>
#include <vector>

namespace fabricast {
namespace {

constexpr int kLongestWait = 60'000;

Question smallQuestion() {
    const std::vector<Edit> edits = {{"model", "gpt2", "-m"},
                                     {"cluster.name", "8x-rtx-4090", "-c"},
                                     {"cluster.nodes", "1", "-n"},
                                     {"workload.global_batch", "64", "--global-batch"}};
    return with(readQuestion("", "").value(), edits).value();
}

const Workbench& bench() {
    static const Workbench kBench = Workbench::open({}).value();
    return kBench;
}

class Journey : public testing::Test {
protected:
    Journey() : window(bench(), {smallQuestion(), {}}, {.recoveryFolder = folder.path()}) {
        window.show();
        EXPECT_TRUE(waits());
    }
    [[nodiscard]] bool waits() {
        return QTest::qWaitFor([this] { return window.isIdle(); }, kLongestWait);
    }
    template <class Widget>
    Widget& find(const char* name) {
        auto* found = window.findChild<Widget*>(name);
        if (found == nullptr) {
            throw std::runtime_error(std::string("no widget is called ") + name);
        }
        return *found;
    }
    /// What the table shows is what a study of the window's question says.
    void expectTableOfStudy() {
        const PlanReport report = plan(window.session().question(), {}, bench(), {}).value();
        const Table expected = planRows(report, report.plans);
        const Table& shown = find<ReportTableView>("layouts.table").tableModel().table();
        ASSERT_GE(shown.rows.size(), expected.rows.size());
        for (std::size_t row = 0; row < expected.rows.size(); ++row) {
            EXPECT_EQ(shown.rows[row], expected.rows[row]);
        }
    }

    QTemporaryDir folder;
    MainWindow window;
};

TEST_F(Journey, OpensWithTheAnswer) {
    expectTableOfStudy();
    EXPECT_EQ(find<QPushButton>("value.verdict").text(), "Fits");
    EXPECT_EQ(find<QLabel>("command").text(),
              "fabricast plan -m gpt2 -c 8x-rtx-4090 -n 1 --global-batch 64");
}

TEST_F(Journey, AnotherNumberOfServersIsAnotherAnswer) {
    const QString before = find<QPushButton>("value.step").text();
    find<QSpinBox>("number.cluster.nodes").setValue(2);
    ASSERT_TRUE(waits());
    expectTableOfStudy();
    EXPECT_NE(find<QPushButton>("value.step").text(), before);
    window.session().undo();
    ASSERT_TRUE(waits());
    EXPECT_EQ(find<QPushButton>("value.step").text(), before);
    EXPECT_EQ(find<QSpinBox>("number.cluster.nodes").value(), 1);
}

TEST_F(Journey, APinnedKeyHoldsInEveryLayout) {
    auto& tp = find<QComboBox>("choice.layout.tp");
    tp.setCurrentIndex(tp.findData("2"));
    emit tp.activated(tp.currentIndex());
    ASSERT_TRUE(waits());
    expectTableOfStudy();
    for (const Plan& plan : window.session().answers().shown()) {
        EXPECT_EQ(plan.scenario.layout.tp, 2);
    }
    EXPECT_TRUE(find<QLabel>("command").text().contains("tp=2"));
}

TEST_F(Journey, AWrongValueIsExplainedWhereItWasTyped) {
    auto& batch = find<QLineEdit>("text.workload.global_batch");
    batch.setText("many");
    emit batch.editingFinished();
    ASSERT_TRUE(waits());
    EXPECT_EQ(window.session().answers().stage, AnswerStage::Failed);
    auto* control = window.findChild<QWidget*>("control.workload.global_batch");
    ASSERT_NE(control, nullptr);
    EXPECT_TRUE(control->findChild<QLabel*>("trouble")->text().contains("many"));
    EXPECT_FALSE(window.session().answers().shown().empty()) << "the last answer stays";
}

}  // namespace
}  // namespace fabricast
