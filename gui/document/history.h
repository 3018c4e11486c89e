#pragma once
#include "planner/base/result.h"
#include "planner/spec/edit.h"
#include "study/question.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace fabricast {

/// This is every question that was asked in a window, in order, and which of them is asked now.
///     History history(question);
///     FABRICAST_TRY(history.edit({{"cluster.nodes", "16", "-n"}}, {.title = "nodes 16"}));
///     history.undo();
class History {
public:
    /// How an edit is named in the menu, and the control that is being dragged: edits of one drag
    /// are undone together.
    struct Label {
        std::string title{};
        std::string drag{};
    };

    explicit History(Question start, std::vector<std::string> failed = {});

    [[nodiscard]] const Question& now() const { return steps_[at_].question; }
    /// Links, devices and nodes that have failed while this is asked, by their names.
    [[nodiscard]] const std::vector<std::string>& failed() const { return steps_[at_].failed; }
    /// Refused edits leave everything as it was. Edits that change nothing are no step.
    Result<void> edit(std::span<const Edit> edits, const Label& label);
    /// Other things have failed: a step of its own.
    void setFailed(std::vector<std::string> failed, const std::string& title);
    /// What was left of a study in place of its question now, as a step where it differs.
    void recover(Question left, std::vector<std::string> failed);
    /// The next edit is a step of its own, whatever is dragged.
    void endDrag() { dragging_ = false; }

    [[nodiscard]] bool canUndo() const { return at_ > 0; }
    [[nodiscard]] bool canRedo() const { return at_ + 1 < steps_.size(); }
    [[nodiscard]] const std::string& undoTitle() const { return steps_[at_].title; }
    [[nodiscard]] const std::string& redoTitle() const { return steps_[at_ + 1].title; }
    void undo();
    void redo();

    [[nodiscard]] bool isSaved() const { return saved_ == static_cast<std::ptrdiff_t>(at_); }
    /// The question now is as a file says it: the others differ from that.
    void markSaved(const Question& saved);
    /// It differs from every file.
    void markUnsaved() { saved_ = -1; }

private:
    struct Step {
        Question question;
        std::string title{};  ///< of the edit that led here
        std::string drag{};
        std::vector<std::string> failed{};
    };

    void push(Step step);

    std::vector<Step> steps_;
    std::size_t at_ = 0;
    std::ptrdiff_t saved_ = 0;
    bool dragging_ = false;
};

}  // namespace fabricast
