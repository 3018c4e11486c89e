#pragma once
#include "gui/pages/key_control.h"
#include "planner/spec/edit.h"
#include "study/question.h"

#include <optional>
#include <string>
#include <vector>

namespace fabricast {

class StudySession;

/// What a question says of a control's key, in its own or another way: hardware may be said by its
/// GPU alone.
std::optional<std::string> saidOf(const ControlAbout& about, const Question& question);

/// The edits of a new value of a control: that of its key, and what else is held and would go with
/// it. Other hardware has as many servers or GPUs; more servers have as many GPUs each.
std::vector<Edit> controlEdits(const ControlAbout& about,
                               const QString& value,
                               const StudySession& session);

}  // namespace fabricast
