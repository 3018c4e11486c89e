// What is offered next where a question is not complete or contradicts itself.
#include "gui/pages/elided_label.h"
#include "study/said_value.h"
#include "tests/gui/used_window.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

namespace fabricast {
namespace next_step_test {

QString troubleOf(UsedWindow& used, const char* control) {
    return used.find<QWidget>(control).findChild<QLabel*>("trouble")->text();
}

TEST(NextStep, IsTheHardwareUntilItIsSaidWhichItIs) {
    const std::vector<Edit> edits = {{"model", "gpt2", "-m"}, {"cluster.nodes", "1", "-n"}};
    UsedWindow used({with(readQuestion("", "").value(), edits).value(), {}});
    auto& button = used.find<QPushButton>("next.do");
    EXPECT_TRUE(button.isVisible());
    EXPECT_EQ(button.text(), "Choose the hardware");
    EXPECT_EQ(troubleOf(used, "control.cluster.nodes"), "");
    EXPECT_NE(troubleOf(used, "control.cluster.name"), "");
}

TEST(NextStep, AppliesTheChangeThatAnErrorTypes) {
    UsedWindow used({smallQuestion({{"settings.lora.rank", "32", "--set"}}), {}});
    ASSERT_EQ(used.window.session().answers().stage, AnswerStage::Failed);
    auto& button = used.find<QPushButton>("next.do");
    ASSERT_TRUE(button.isVisible());
    EXPECT_EQ(used.find<ElidedLabel>("next.words").words(), "Try:  tuning: lora");
    button.click();
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(saidValue(used.window.session().question(), "settings.tuning"), "lora");
    EXPECT_EQ(saidValue(used.window.session().question(), "settings.lora.rank"), "32");
}

TEST(NextStep, ARankThatIsTypedIsOfAdaptersAndComesBackWithThem) {
    UsedWindow used({smallQuestion(), {}});
    auto& rank = used.find<QLineEdit>("text.settings.lora.rank");
    rank.setText("32");
    emit rank.editingFinished();
    ASSERT_TRUE(used.waits());
    const auto said = [&used](const char* path) {
        return saidValue(used.window.session().question(), path).value_or("");
    };
    EXPECT_EQ(said("settings.tuning"), "lora");
    auto& tuning = used.find<QComboBox>("choice.settings.tuning");
    for (const auto& [value, kept] : {std::pair("full", ""), std::pair("lora", "32")}) {
        tuning.setCurrentIndex(tuning.findData(value));
        emit tuning.activated(tuning.currentIndex());
        ASSERT_TRUE(used.waits());
        EXPECT_EQ(said("settings.tuning"), value);
        EXPECT_EQ(said("settings.lora.rank"), kept);
    }
}

/// Half the step time may wait for a number that nobody typed.
TEST(NextStep, AsksForTheHostMemoryThatAFasterLayoutWaitsFor) {
    const std::vector<Edit> edits = {{"model", "llama-3.1-8b", "-m"},
                                     {"cluster.name", "8x-rtx-4090", "-c"},
                                     {"workload.sequence", "4096", "--seq"},
                                     {"workload.global_batch", "64", "--global-batch"}};
    UsedWindow used({with(readQuestion("", "").value(), edits).value(), {}});
    auto& words = used.find<ElidedLabel>("next.words");
    auto& button = used.find<QPushButton>("next.do");
    EXPECT_TRUE(words.words().startsWith("Next: say how much host memory a server has: 28.2 s"))
        << words.words().toStdString();
    ASSERT_EQ(button.text(), "Enter memory");
    const QString note = used.find<ElidedLabel>("layouts.note").words();
    EXPECT_TRUE(note.contains("\nleft out: deepspeed dp=2,pp=4,")) << note.toStdString();
    EXPECT_TRUE(note.contains("(host memory on the left states it)")) << note.toStdString();
    used.window.session().edit({{"cluster.host_memory", "512GB", "--host-memory"}},
                               {.title = "Host memory"});
    ASSERT_TRUE(used.waits());
    EXPECT_NE(button.text(), "Enter memory");
}

TEST(NextStep, SaysWhichLayoutIsFasterWhereAnotherIsLookedAt) {
    const std::vector<Edit> edits = {{"model", "llama-3.1-70b", "-m"},
                                     {"cluster.name", "dgx-h100", "-c"},
                                     {"cluster.nodes", "8", "-n"},
                                     {"workload.sequence", "8192", "--seq"},
                                     {"workload.global_batch", "512", "--global-batch"}};
    UsedWindow used({with(readQuestion("", "").value(), edits).value(), {}});
    auto& words = used.find<ElidedLabel>("next.words");
    ASSERT_TRUE(words.words().startsWith("Faster at no cost:")) << words.words().toStdString();
    used.window.session().chooseA(1);
    ASSERT_TRUE(used.waits());
    EXPECT_TRUE(words.words().startsWith("Layout 1, faster at no cost:"))
        << words.words().toStdString();
    used.window.session().chooseA(0);
    EXPECT_TRUE(words.words().startsWith("Faster at no cost:")) << words.words().toStdString();
}

TEST(NextStep, IsOfTheQuestionBeforeWhileAnotherIsSearched) {
    UsedWindow used({smallQuestion(), {}});
    auto& words = used.find<ElidedLabel>("next.words");
    const QString before = words.words();
    ASSERT_FALSE(before.isEmpty());
    // A search that takes its time: the words are let alone while a quick one runs.
    used.window.session().edit({{"model", "deepseek-v3", "-m"},
                                {"cluster.name", "dgx-h100", "-c"},
                                {"cluster.nodes", "1024", "-n"},
                                {"search.stacks", "null", "--stack"},
                                {"workload.global_batch", "15360", "--global-batch"}},
                               {.title = "test"});
    EXPECT_TRUE(QTest::qWaitFor(
        [&] { return words.words() == "Of the question before:  " + before; }, 2000))
        << words.words().toStdString();
    EXPECT_FALSE(words.isEnabled());
    ASSERT_TRUE(used.waits());
    EXPECT_FALSE(words.words().contains("question before")) << words.words().toStdString();
}

}  // namespace next_step_test
}  // namespace fabricast
