#include "planner/schedule/in_flight.h"

#include <algorithm>

namespace fabricast {

InFlight inFlight(const StageActions& actions) {
    InFlight now;
    InFlight most;
    for (const StageAction& action : actions) {
        switch (action.pass) {
            case Pass::Forward:
                ++now.peak;
                ++now.untilInput;
                break;
            case Pass::Backward:
                --now.peak;
                --now.untilInput;
                break;
            case Pass::InputGradient:
                --now.untilInput;
                ++now.pendingWeights;
                break;
            case Pass::WeightGradient:
                --now.peak;
                --now.pendingWeights;
                break;
        }
        most.peak = std::max(most.peak, now.peak);
        most.untilInput = std::max(most.untilInput, now.untilInput);
        most.pendingWeights = std::max(most.pendingWeights, now.pendingWeights);
    }
    return most;
}

}  // namespace fabricast
