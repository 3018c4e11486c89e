// What is undone is the question, with the layouts that are looked at, wherever the keyboard is.
#include "tests/gui/used_window.h"

#include <QComboBox>
#include <QPushButton>

namespace fabricast {
namespace {

void pin(UsedWindow& used, const char* choice, const char* value) {
    auto& box = used.find<QComboBox>(choice);
    box.setCurrentIndex(box.findData(value));
    emit box.activated(box.currentIndex());
    ASSERT_TRUE(used.waits());
}

TEST(UndoJourney, AIsTheBestLayoutAgainAndBIsBack) {
    UsedWindow used({smallQuestion(), {}});
    StudySession& session = used.window.session();
    session.chooseB(1);
    ASSERT_TRUE(used.waits());
    const std::string a = session.a().typed;
    const std::string b = session.b().typed;
    const QString step = used.find<QPushButton>("value.step").text();
    const char* const other = a.find("tp=2") == std::string::npos ? "2" : "4";
    pin(used, "choice.layout.tp", other);
    ASSERT_NE(session.a().typed, a);
    used.find<QPushButton>("value.verdict").setFocus();
    session.undo();
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(session.placeOf(session.a()), std::size_t{0});
    EXPECT_EQ(session.a().typed, a);
    EXPECT_EQ(session.b().typed, b);
    EXPECT_EQ(used.find<QPushButton>("value.step").text(), step);
}

TEST(UndoJourney, WhatWasChosenByHandStaysChosen) {
    UsedWindow used({smallQuestion(), {}});
    StudySession& session = used.window.session();
    session.chooseA(2);
    ASSERT_TRUE(used.waits());
    const std::string chosen = session.a().typed;
    EXPECT_EQ(used.window.viewState().chosen, chosen);
    session.edit({{"workload.tokens", "1B", "--tokens"}}, {.title = "Tokens 1B"});
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(session.a().typed, chosen);
    session.chooseA(0);
    EXPECT_EQ(used.window.viewState().chosen, "") << "the best one, whichever that is";
}

}  // namespace
}  // namespace fabricast
