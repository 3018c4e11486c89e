#pragma once
#include "planner/base/result.h"
#include "planner/spec/edit.h"
#include "study/question.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace fabricast {

/// What is marked in a study, which no plan depends on.
struct StudyMarks {
    std::vector<std::string> failed{};  ///< links, devices and nodes that are down, by their names
    std::string hardware{};             ///< what is put side by side, as it was typed
    friend bool operator==(const StudyMarks&, const StudyMarks&) = default;
};

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
        bool isApplied = false;  ///< a change that was suggested
    };

    explicit History(Question start, StudyMarks marks = {});

    [[nodiscard]] const Question& now() const { return steps_[at_].question; }
    /// While this is asked.
    [[nodiscard]] const StudyMarks& marks() const { return steps_[at_].marks; }
    /// Refused edits leave everything as it was. Edits that change nothing are no step.
    Result<void> edit(std::span<const Edit> edits, const Label& label);
    /// Other things are marked: a step of its own.
    void setMarks(StudyMarks marks, const std::string& title);
    /// What was left of a study in place of its question now, as a step where it differs.
    void recover(Question left, StudyMarks marks);
    /// What the last step turned out to do, behind its title.
    void addToTitle(const std::string& words) { steps_[at_].title += words; }
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
        StudyMarks marks{};
    };

    void push(Step step);

    std::vector<Step> steps_;
    std::size_t at_ = 0;
    std::ptrdiff_t saved_ = 0;
    bool dragging_ = false;
};

}  // namespace fabricast
