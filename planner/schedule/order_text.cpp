#include "planner/schedule/order_text.h"

namespace fabricast {

std::string actionText(const StageAction& action) {
    return std::to_string(action.stage) + letterOf(action.pass) + std::to_string(action.microBatch);
}

std::string actionsText(const StageActions& actions) {
    std::string text;
    char between = '\0';
    for (const StageAction& action : actions) {
        if (between != '\0') {
            text += between;
        }
        text += actionText(action);
        between = action.paired ? '&' : ' ';
    }
    return text;
}

}  // namespace fabricast
