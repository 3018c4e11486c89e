#pragma once
#include "planner/spec/layout.h"
#include "planner/spec/setting_fields.h"

#include <functional>
#include <set>
#include <string>

namespace fabricast {

/// The keys of a layout as they are typed and printed: tp=8,pp=4,micro_batch=2.
template <class Row>
constexpr void fieldsOf(const Layout&, Row&& row) {
    constexpr double kMost = 1 << 20;
    row(Field{"dp", &Layout::dp, 1, kMost});
    row(Field{"tp", &Layout::tp, 1, kMost});
    row(Field{"sp", &Layout::sp});
    row(Field{"pp", &Layout::pp, 1, kMost});
    row(Field{"vpp", &Layout::vpp, 1, kMost});
    row(Field{"cp", &Layout::cp, 1, kMost});
    row(Field{"cp_kind", &Layout::cpKind});
    row(Field{"ep", &Layout::ep, 1, kMost});
    row(Field{"etp", &Layout::etp, 1, kMost});
    row(Field{"shard", &Layout::shard});
    row(Field{"shard_size", &Layout::shardSize, 0, kMost});
    row(Field{"micro_batch", &Layout::microBatch, 1, kMost});
    row(Field{"schedule", &Layout::schedule});
    row(Field{"group", &Layout::scheduleGroup, 0, kMost});
    row(Field{"offload", &Layout::offload});
    row(Field{"placement", &Layout::placement});
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
