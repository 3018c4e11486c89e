#include "gui/window/unseen_error.h"

#include "study/question_flags.h"

#include <algorithm>
#include <string_view>

namespace fabricast {

Error unseenError(Error error, const std::string& command) {
    constexpr std::string_view kPlan = "fabricast plan ";
    const std::string& hint = error.hint;
    const std::string first = hint.substr(0, std::min(hint.find(", or "), hint.find(';')));
    const std::string flag = first.substr(0, first.find(' '));
    const bool isKept = std::ranges::any_of(
        scenarioFlags(), [&flag](const QuestionFlag& one) { return one.typed == flag; });
    if (isKept && command.starts_with(kPlan)) {
        error.hint = "fabricast import " + command.substr(kPlan.size()) + " " + first +
                     " -o study.json, and fabricast-gui study.json";
    }
    return error;
}

}  // namespace fabricast
