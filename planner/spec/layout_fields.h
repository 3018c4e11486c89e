#pragma once
#include "planner/spec/layout.h"
#include "planner/spec/setting_fields.h"

#include <set>
#include <string>

namespace fabricast {

/// The keys of a layout as they are typed and printed: tp=8,pp=4,micro_batch=2.
constexpr auto fieldsOf(const Layout&) {
    constexpr double kMost = 1 << 20;
    return std::tuple{Field{"dp", &Layout::dp, 1, kMost},
                      Field{"tp", &Layout::tp, 1, kMost},
                      Field{"sp", &Layout::sp},
                      Field{"pp", &Layout::pp, 1, kMost},
                      Field{"vpp", &Layout::vpp, 1, kMost},
                      Field{"cp", &Layout::cp, 1, kMost},
                      Field{"cp_kind", &Layout::cpKind},
                      Field{"ep", &Layout::ep, 1, kMost},
                      Field{"etp", &Layout::etp, 1, kMost},
                      Field{"shard", &Layout::shard},
                      Field{"shard_size", &Layout::shardSize, 0, kMost},
                      Field{"micro_batch", &Layout::microBatch, 1, kMost},
                      Field{"schedule", &Layout::schedule},
                      Field{"group", &Layout::scheduleGroup, 0, kMost},
                      Field{"offload", &Layout::offload},
                      Field{"placement", &Layout::placement}};
}

/// A layout of which only some keys were typed; the rest is still to follow from them.
struct PartialLayout {
    Layout layout;
    std::set<std::string, std::less<>> said;  ///< keys, as in fieldsOf(Layout) and "recompute"
    RecomputeSettings recompute;
    std::int64_t copies = 0;  ///< of the states, for shard_size to follow from; 0: not typed

    [[nodiscard]] bool says(std::string_view key) const { return said.contains(key); }
    /// The value of a key, as it is typed.
    [[nodiscard]] std::string text(std::string_view key) const;
};

/// "tp=8,pp=4,dp=16": the keys that differ from 1, none and off, as --layout reads them.
std::string layoutText(const Layout& layout);
/// "selective", "block:4", "core_attn+mlp".
std::string recomputeText(const RecomputeSettings& recompute);

}  // namespace fabricast
