#include "gui/document/history.h"

#include "gui/document/saved_study.h"

#include <utility>

namespace fabricast {

History::History(Question start, StudyMarks marks)
    : steps_{{.question = std::move(start), .marks = std::move(marks)}} {}

Result<void> History::edit(std::span<const Edit> edits, const Label& label) {
    const bool goesOn = dragging_ && at_ > 0 && !label.drag.empty() &&
                        steps_[at_].drag == label.drag && at_ + 1 == steps_.size();
    FABRICAST_ASSIGN(Question changed, with(now(), edits));
    if (documentText(changed) == documentText(now())) {
        return {};
    }
    if (goesOn) {
        saved_ = isSaved() ? -1 : saved_;
        steps_[at_].question = std::move(changed);
        steps_[at_].title = label.title;
    } else {
        push({std::move(changed), label.title, label.drag, marks()});
    }
    dragging_ = !label.drag.empty();
    return {};
}

void History::setMarks(StudyMarks marks, const std::string& title) {
    push({.question = now(), .title = title, .marks = std::move(marks)});
    endDrag();
}

void History::recover(Question left, StudyMarks marks) {
    if (documentText(left) != documentText(now()) || marks != this->marks()) {
        push({.question = std::move(left),
              .title = "what was recovered",
              .marks = std::move(marks)});
    } else {
        markUnsaved();
    }
    endDrag();
}

/// What was undone is gone.
void History::push(Step step) {
    steps_.resize(at_ + 1);
    if (saved_ > static_cast<std::ptrdiff_t>(at_)) {
        saved_ = -1;
    }
    steps_.push_back(std::move(step));
    ++at_;
}

void History::undo() {
    at_ -= canUndo() ? 1U : 0U;
    endDrag();
}

void History::redo() {
    at_ += canRedo() ? 1U : 0U;
    endDrag();
}

void History::markSaved(const Question& saved) {
    for (Step& step : steps_) {
        step.question = asChangesOf(saved, step.question);
    }
    steps_[at_].question = saved;
    saved_ = static_cast<std::ptrdiff_t>(at_);
    endDrag();
}

}  // namespace fabricast
