#include "cli/typed_layout.h"

#include "planner/report/plan_text.h"
#include "planner/stack/stack.h"

namespace fabricast {

std::string typedLayout(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    std::string text = planLayoutText(scenario);
    const auto stack = findStack(scenario.stack);
    if (!stack) {
        return text;
    }
    const LayoutDefaults usual = layoutDefaults(**stack, layout);
    text += layout.shard == Shard::None && usual.shard != Shard::None ? ",shard=none" : "";
    text += !layout.sp && usual.sp ? ",sp=false" : "";
    text += scenario.model.moe && layout.etp == 1 && usual.etp != 1 ? ",etp=1" : "";
    const bool ring = layout.cp > 1 && layout.cpKind == CpKind::Ring;
    return text + (ring && usual.cpKind != CpKind::Ring ? ",cp_kind=ring" : "");
}

}  // namespace fabricast
