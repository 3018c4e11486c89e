#include "planner/schedule/framework_calls.h"

#include <algorithm>

namespace fabricast {

// forward_backward_pipelining_without_interleaving: every call blocks, and carries what goes to a
// neighbour together with what comes from it.
std::vector<CommStep> megatronCalls(const PipelineShape& shape, std::int64_t rank) {
    const bool first = rank == 0;
    const bool last = rank == shape.ranks - 1;
    const std::int64_t count = shape.microBatches;
    const std::int64_t ahead = std::min(shape.ranks - rank - 1, count);
    const PeerTransfer sendNext{.send = true, .forward = true};
    const PeerTransfer receivePrevious{.send = false, .forward = true};
    const PeerTransfer sendPrevious{.send = true, .forward = false};
    const PeerTransfer receiveNext{.send = false, .forward = false};
    ProgramWriter program;
    const auto call = [&program](bool isEnd, std::vector<PeerTransfer> ops) {
        program.call(isEnd ? std::vector<PeerTransfer>() : std::move(ops));
    };
    for (std::int64_t i = 0; i < ahead; ++i) {
        call(first, {receivePrevious});
        program.compute(rank, i, Pass::Forward);
        call(last, {sendNext});
    }
    if (ahead < count) {
        call(first, {receivePrevious});
    }
    for (std::int64_t i = 0; ahead + i < count; ++i) {
        program.compute(rank, ahead + i, Pass::Forward);
        call(last, {sendNext, receiveNext});
        program.compute(rank, i, Pass::Backward);
        const bool ends = ahead + i + 1 == count;
        call(first, ends ? std::vector{sendPrevious} : std::vector{sendPrevious, receivePrevious});
    }
    for (std::int64_t i = count - ahead; i < count; ++i) {
        call(last, {receiveNext});
        program.compute(rank, i, Pass::Backward);
        call(first, {sendPrevious});
    }
    return std::move(program).finish();
}

}  // namespace fabricast
