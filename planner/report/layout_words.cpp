#include "planner/report/subject_words.h"
#include "planner/spec/layout_fields.h"
#include "planner/stack/stack.h"

namespace fabricast {

namespace {

/// Without keys that do not apply to this model and these sizes.
Layout shownLayout(const Scenario& scenario) {
    Layout layout = scenario.layout;
    layout.etp = scenario.model.moe ? layout.etp : 1;
    layout.cpKind = layout.cp > 1 ? layout.cpKind : CpKind::Ring;
    layout.schedule = layout.pp > 1 ? layout.schedule : ScheduleKind::None;
    return layout;
}

/// What a stack would take for a key that is left out.
std::string againstDefaults(const Scenario& scenario, const LayoutDefaults& usual) {
    const Layout& layout = scenario.layout;
    std::string text;
    text += layout.shard == Shard::None && usual.shard != Shard::None ? ",shard=none" : "";
    text += !layout.sp && usual.sp ? ",sp=off" : "";
    const bool isSaid = layout.ep > 1 && layout.tp > 1;
    text += scenario.model.moe && layout.etp == 1 && usual.etp != 1 && !isSaid ? ",etp=1" : "";
    const bool isRing = layout.cp > 1 && layout.cpKind == CpKind::Ring;
    return text + (isRing && usual.cpKind != CpKind::Ring ? ",cp_kind=ring" : "");
}

}  // namespace

std::string layoutWords(const Scenario& scenario) {
    const std::string text = layoutText(shownLayout(scenario));
    const auto stack = findStack(scenario.stack);
    return stack ? text + againstDefaults(scenario, layoutDefaults(**stack, scenario.layout))
                 : text;
}

}  // namespace fabricast
