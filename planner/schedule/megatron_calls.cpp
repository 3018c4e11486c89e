#include "planner/schedule/framework_calls.h"
#include "planner/schedule/interleaved_steps.h"

#include <algorithm>
#include <deque>
#include <optional>

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

namespace {

constexpr PeerTransfer kSendNext{.send = true, .forward = true};
constexpr PeerTransfer kSendPrevious{.send = true, .forward = false};
constexpr PeerTransfer kReceivePrevious{.send = false, .forward = true};
constexpr PeerTransfer kReceiveNext{.send = false, .forward = false};

/// One rank of forward_backward_pipelining_with_interleaving. A tensor for the next virtual
/// microbatch is asked for as soon as the last one has been taken, where the neighbour has one.
class InterleavedCalls {
public:
    InterleavedCalls(const FrameworkOrder& order, std::int64_t rank, P2pMode mode)
        : steps_(order.shape, rank),
          shape_(order.shape),
          rank_(rank),
          pairs_(order.kind == OrderKind::InterleavedPairs),
          posts_(mode != P2pMode::Batch),
          postsAll_(mode == P2pMode::OverlapFlush),
          total_(steps_.total()) {
        const std::int64_t ahead =
            2 * (shape_.ranks - rank - 1) + (shape_.chunks - 1) * shape_.group + (pairs_ ? 1 : 0);
        warmUp_ = std::min(ahead, total_);
    }

    std::vector<CommStep> run() && {
        if (!isFirst()) {
            program_.call({kReceivePrevious});
        }
        for (std::int64_t step = 0; step < warmUp_; ++step) {
            warmUpStep(step);
        }
        for (std::int64_t step = 0; warmUp_ + step < total_; ++step) {
            if (posts_) {
                steadyStepPosted(step);
            } else {
                steadyStepCalled(step);
            }
        }
        if (warmUp_ == total_ && !isLast()) {
            program_.call({kReceiveNext});
        }
        for (std::int64_t step = total_ - warmUp_; step < total_; ++step) {
            coolDownStep(step);
        }
        finishSend(backward_);
        return std::move(program_).finish();
    }

private:
    /// One posted transfer that has not been waited for yet.
    struct Pending {
        std::int32_t handle = 0;
        std::int32_t which = 0;
    };
    /// Activations, or gradients: what has been posted and not been waited for.
    struct Side {
        PeerTransfer send;
        PeerTransfer receive;
        std::deque<Pending> received{};
        std::optional<Pending> sent{};
    };
    using Ops = std::vector<PeerTransfer>;

    [[nodiscard]] bool isFirst() const { return rank_ == 0; }
    [[nodiscard]] bool isLast() const { return rank_ == shape_.ranks - 1; }
    [[nodiscard]] StageAction actionAt(std::int64_t step, Pass pass) const {
        return steps_.stepAt(step, pass);
    }
    [[nodiscard]] bool startsModel(const StageAction& action) const { return action.stage == 0; }
    [[nodiscard]] bool endsModel(const StageAction& action) const {
        return action.stage == shape_.stages() - 1;
    }

    /// Whether a neighbour will have sent a tensor for the step after this one. The rank at the end
    /// of the ring gets what the rank p-1 steps behind it makes, except its last chunk's.
    [[nodiscard]] bool receives(std::int64_t step, Pass pass) const {
        const bool forward = pass == Pass::Forward;
        if (forward ? !isFirst() : !isLast()) {
            return true;
        }
        const std::int64_t behind = step - (shape_.ranks - 1);
        if (behind < 0) {
            return false;
        }
        const std::int64_t chunk = actionAt(behind, pass).stage / shape_.ranks;
        return chunk != (forward ? shape_.chunks - 1 : 0);
    }

    void warmUpStep(std::int64_t step) {
        const StageAction forward = actionAt(step, Pass::Forward);
        if (postsAll_ && !startsModel(forward) && step != 0) {
            takeOldest(forward_);
        }
        const bool receive = receives(step, Pass::Forward) && step != total_ - 1;
        if (postsAll_ && !isFirst()) {
            prefetch(forward_, receive);
        }
        program_.compute(forward);
        const bool send = !endsModel(forward);
        const bool turns = step == warmUp_ - 1 && warmUp_ < total_;  // a backward comes next
        if (postsAll_) {
            post(forward_, send, isFirst() && receive);
        } else {
            program_.call(opsOf(send, false, receive, turns && !posts_ && !isLast()));
        }
        if (turns && posts_) {
            post(backward_, false, !isLast());
        }
    }

    void steadyStepCalled(std::int64_t step) {
        const StageAction forward = actionAt(warmUp_ + step, Pass::Forward);
        const StageAction backward = actionAt(step, Pass::Backward);
        program_.compute(forward);
        program_.compute(backward);
        const bool ends = warmUp_ + step + 1 == total_;
        program_.call(opsOf(!endsModel(forward),
                            !startsModel(backward),
                            receives(warmUp_ + step, Pass::Forward) && !ends,
                            receives(step, Pass::Backward)));
    }

    void steadyStepPosted(std::int64_t step) {
        StageAction forward = actionAt(warmUp_ + step, Pass::Forward);
        const StageAction backward = actionAt(step, Pass::Backward);
        const bool ends = warmUp_ + step + 1 == total_;
        const auto handOn = [&] {
            post(forward_, !endsModel(forward), receives(warmUp_ + step, Pass::Forward) && !ends);
        };
        const auto takeInput = [&](bool there, Side& side) {
            if (there) {
                takeOldest(side);
            }
        };
        takeInput(!startsModel(forward), forward_);
        if (pairs_) {
            takeInput(!endsModel(backward), backward_);
            forward.paired = true;
            program_.compute(forward);
        } else {
            program_.compute(forward);
            handOn();
            takeInput(!endsModel(backward), backward_);
        }
        program_.compute(backward);
        if (pairs_) {
            handOn();
        }
        post(backward_, !startsModel(backward), receives(step, Pass::Backward));
    }

    void coolDownStep(std::int64_t step) {
        const StageAction backward = actionAt(step, Pass::Backward);
        if (!endsModel(backward) && step != 0) {
            takeOldest(backward_);
        }
        const bool receive = receives(step, Pass::Backward) && step != total_ - 1;
        if (postsAll_ && !isLast()) {
            prefetch(backward_, receive);
        }
        program_.compute(backward);
        const bool send = !startsModel(backward);
        if (postsAll_) {
            post(backward_, send, isLast() && receive);
        } else {
            program_.call(opsOf(false, send, false, receive));
        }
    }

    static Ops opsOf(bool sendNext, bool sendPrevious, bool receivePrevious, bool receiveNext) {
        Ops ops;
        const auto add = [&ops](bool there, const PeerTransfer& op) {
            if (there) {
                ops.push_back(op);
            }
        };
        add(sendNext, kSendNext);
        add(sendPrevious, kSendPrevious);
        add(receivePrevious, kReceivePrevious);
        add(receiveNext, kReceiveNext);
        return ops;
    }

    /// Posts the existing transfers, remembered for the wait; nothing has a number too.
    void prefetch(Side& side, bool there) {
        if (!there) {
            program_.skipHandle();
            return;
        }
        side.received.push_back({program_.post({side.receive}), 0});
    }

    /// Posts a send and a receive; then the send before is waited for.
    void post(Side& side, bool sends, bool receives) {
        Ops ops;
        if (sends) {
            ops.push_back(side.send);
        }
        if (receives) {
            ops.push_back(side.receive);
        }
        if (ops.empty()) {
            program_.skipHandle();
        }
        const std::int32_t handle = ops.empty() ? 0 : program_.post(ops);
        finishSend(side);
        if (sends) {
            side.sent = Pending{handle, 0};
        }
        if (receives) {
            side.received.push_back({handle, sends ? 1 : 0});
        }
    }

    void takeOldest(Side& side) {
        if (!side.received.empty()) {
            const Pending oldest = side.received.front();
            side.received.pop_front();
            program_.waitFor(oldest.handle, oldest.which, side.receive);
        }
    }
    void finishSend(Side& side) {
        if (side.sent) {
            program_.waitFor(side.sent->handle, side.sent->which, side.send);
            side.sent.reset();
        }
    }

    InterleavedSteps steps_;
    PipelineShape shape_;
    std::int64_t rank_;
    bool pairs_;
    bool posts_;
    bool postsAll_;
    std::int64_t total_;
    std::int64_t warmUp_ = 0;
    ProgramWriter program_;
    Side forward_{.send = kSendNext, .receive = kReceivePrevious};
    Side backward_{.send = kSendPrevious, .receive = kReceiveNext};
};

}  // namespace

std::vector<CommStep> megatronInterleavedCalls(const FrameworkOrder& order,
                                               std::int64_t rank,
                                               P2pMode mode) {
    return InterleavedCalls(order, rank, mode).run();
}

}  // namespace fabricast
