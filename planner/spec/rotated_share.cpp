#include "planner/spec/attention_model.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace fabricast {

double rotatedShare(const ModelSpec& model) {
    struct PartlyRotated {
        std::string_view family;
        double share;
    };
    static constexpr std::array kFamilies = {PartlyRotated{"glm", 0.5},
                                             PartlyRotated{"glm4", 0.5},
                                             PartlyRotated{"glm4_moe", 0.5},
                                             PartlyRotated{"gpt_neox", 0.25},
                                             PartlyRotated{"minimax_m2", 0.5}};
    const auto* const found = std::ranges::find(kFamilies, model.family, &PartlyRotated::family);
    return found == kFamilies.end() ? 1.0 : found->share;
}

}  // namespace fabricast
