#include "planner/stack/plain_layout.h"

#include "planner/spec/names.h"

namespace fabricast {

Layout plainLayout(const Scenario& scenario) {
    Layout layout = scenario.layout;
    if (layout.shardSize == layout.replicas()) {
        layout.shardSize = 0;
    }
    const bool isOneGroup = layout.shard == Shard::Hsdp && layout.shardSize == 0;
    const bool isOneRank = layout.shard == Shard::None && layout.replicas() == 1;
    if (isOneGroup || (isOneRank && scenario.settings.engine == Engine::Fsdp2)) {
        layout.shard = Shard::Fsdp;
    }
    layout.cpKind = layout.cp > 1 ? layout.cpKind : Layout{}.cpKind;
    return layout;
}

std::string respelledLayout(const Scenario& scenario) {
    const Layout plain = plainLayout(scenario);
    if (plain.shard == scenario.layout.shard) {
        return "";
    }
    const std::string ranks = std::to_string(plain.replicas());
    return "layout.shard=" + std::string(nameOf(scenario.layout.shard)) + " is written as " +
           std::string(nameOf(plain.shard)) + ": " +
           (plain.replicas() == 1 ? "there is one rank to shard over"
                                  : "one group of all " + ranks + " ranks");
}

}  // namespace fabricast
