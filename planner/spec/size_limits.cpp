#include "planner/spec/size_limits.h"

namespace fabricast {

std::string multiplesAround(std::int64_t number, std::int64_t step) {
    const std::int64_t below = number / step * step;
    const std::string less = below > 0 ? std::to_string(below) : std::string();
    if (step > kLargestBatch - below) {
        return less;
    }
    return less + (less.empty() ? "" : " or ") + std::to_string(below + step);
}

}  // namespace fabricast
