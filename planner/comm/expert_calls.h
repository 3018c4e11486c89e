#pragma once
#include "planner/comm/collective_groups.h"
#include "planner/comm/collective_time.h"

#include <cstdint>
#include <optional>

namespace fabricast {

/// What the ranks of an expert group tell each other before rows are sent: how many there are.
struct RoutingCall {
    CommOp op = CommOp::AllToAll;
    WireType type = WireType::Int64;
    std::int64_t elements = 1;
};

/// These are the calls of expert layers whose rows go to the experts' ranks and come back, in
/// forward, in recomputation and in backward: `rows` elements each way, after `routing`, if any.
Calls expertExchange(const StageView& view,
                     const ChunkView& chunk,
                     const std::optional<RoutingCall>& routing,
                     std::int64_t rows);

/// Tokens on their way to experts when each is sent only once to a node, and spread there over
/// NVLink (DeepEP and its like), instead of once to every expert.
struct TokenDispatch {
    Bytes tokens;  ///< of one rank, each once: tokens · hidden · bytes
    std::int64_t experts = 1;
    std::int64_t topK = 1;
};

/// Of `places` equal parts of the experts, how many a token's topK different experts are in, when
/// all choices are equally likely:
///     places · (1 - Π_{i<k} (E - E/places - i) / (E - i))
double expectedPlaces(std::int64_t experts, std::int64_t topK, std::int64_t places);

/// One way, with even load. A token leaves its node for each other one it is wanted in; inside a
/// node it is copied to each GPU that wants it, meanwhile.
CollectiveTime dispatchTime(const TokenDispatch& dispatch,
                            const GroupShape& shape,
                            const ClusterLinks& links,
                            const NcclModel& model);

}  // namespace fabricast
