#include "gui/document/history.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast {
namespace {

Question asked(const std::vector<Edit>& edits) {
    const Question empty = readQuestion("", "").value();
    return with(empty, edits).value();
}

History twoServers() {
    return History(asked({{"model", "gpt2", "-m"},
                          {"cluster.name", "8x-rtx-4090", "-c"},
                          {"cluster.nodes", "2", "-n"}}));
}

void say(History& history, const std::string& nodes, const std::string& drag = {}) {
    const std::vector<Edit> edits = {{"cluster.nodes", nodes, "-n"}};
    ASSERT_TRUE(history.edit(edits, {.title = "nodes " + nodes, .drag = drag}));
}

TEST(History, UndoAndRedoAreThatQuestion) {
    History history = twoServers();
    say(history, "4");
    say(history, "8");
    history.undo();
    EXPECT_EQ(typed(history.now()), "-m gpt2 -c 8x-rtx-4090 -n 4");
    EXPECT_EQ(history.redoTitle(), "nodes 8");
    history.undo();
    EXPECT_EQ(typed(history.now()), "-m gpt2 -c 8x-rtx-4090 -n 2");
    EXPECT_FALSE(history.canUndo());
    history.redo();
    history.redo();
    EXPECT_EQ(typed(history.now()), "-m gpt2 -c 8x-rtx-4090 -n 8");
    EXPECT_FALSE(history.canRedo());
}

TEST(History, ADragIsOneStep) {
    History history = twoServers();
    for (const char* nodes : {"3", "4", "6", "8"}) {
        say(history, nodes, "cluster.nodes");
    }
    history.undo();
    EXPECT_EQ(typed(history.now()), "-m gpt2 -c 8x-rtx-4090 -n 2");
}

TEST(History, ADragThatEndedIsAStepOfItsOwn) {
    History history = twoServers();
    say(history, "3", "cluster.nodes");
    history.endDrag();
    say(history, "4", "cluster.nodes");
    history.undo();
    EXPECT_EQ(typed(history.now()), "-m gpt2 -c 8x-rtx-4090 -n 3");
}

TEST(History, AnEditAfterUndoForgetsWhatWasUndone) {
    History history = twoServers();
    say(history, "4");
    history.undo();
    say(history, "16");
    EXPECT_FALSE(history.canRedo());
    history.undo();
    EXPECT_EQ(typed(history.now()), "-m gpt2 -c 8x-rtx-4090 -n 2");
}

TEST(History, WhatChangesNothingIsNoStep) {
    History history = twoServers();
    say(history, "2");
    EXPECT_FALSE(history.canUndo());
}

TEST(History, ARefusedEditLeavesEverything) {
    History history = twoServers();
    const std::vector<Edit> edits = {{"model.layers.0", "4", "--set"}};
    EXPECT_FALSE(history.edit(edits, {.title = "layers"}));
    EXPECT_EQ(typed(history.now()), "-m gpt2 -c 8x-rtx-4090 -n 2");
    EXPECT_FALSE(history.canUndo());
}

/// As a file says it.
Question inFile(const Question& question) {
    Question saved = parseQuestion(documentText(question), "run.json", {}).value();
    saved.file = "run.json";
    return saved;
}

TEST(History, AfterASaveEveryStepIsTypedFromTheSavedFile) {
    History history = twoServers();
    say(history, "4");
    history.markSaved(inFile(history.now()));
    EXPECT_TRUE(history.isSaved());
    EXPECT_EQ(typed(history.now()), "run.json");
    history.undo();
    EXPECT_FALSE(history.isSaved());
    EXPECT_EQ(typed(history.now()), "run.json -n 2");
    history.redo();
    EXPECT_TRUE(history.isSaved());
}

TEST(History, WhatWasSavedAndUndoneIsNeverSavedAgain) {
    History history = twoServers();
    say(history, "4");
    history.markSaved(inFile(history.now()));
    history.undo();
    say(history, "8");
    history.undo();
    history.redo();
    EXPECT_FALSE(history.isSaved());
}

}  // namespace
}  // namespace fabricast
