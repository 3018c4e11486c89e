#include "simulator/program/pipeline_program.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

namespace fabricast {
namespace {

/// One transfer as both of its sides name it. Megatron's calls do not name the tensor they
/// are: those of a kind between two ranks meet in their turn.
struct TransferKey {
    std::size_t from = 0;
    std::size_t to = 0;
    bool forward = true;
    std::int32_t stage = -1;
    std::int32_t microBatch = -1;
    std::int64_t turn = -1;

    // clang-tidy 14 sees a null pointer in <=>.
    friend auto operator<=>(const TransferKey&, const TransferKey&) = default;  // NOLINT
};

class CallWriter {
public:
    CallWriter(const CommProgram& calls,
               HandOver handOver,
               StageOpWriter& writer,
               PassWriter& passes)
        : calls_(calls), handOver_(handOver), writer_(writer), passes_(passes) {}

    Result<void> write() {
        for (std::size_t rank = 0; rank < calls_.size(); ++rank) {
            posts_.clear();
            for (const CommStep& step : calls_[rank]) {
                writeStep(rank, step);
            }
        }
        for (const auto& [key, transfer] : transfers_) {
            if (transfer.sides != 2) {
                return tl::unexpected(unanswered(key));
            }
        }
        return {};
    }

private:
    struct Transfer {
        StageOps ops;
        int sides = 0;  ///< that called it
    };

    static Error unanswered(const TransferKey& key) {
        return {Error::Code::BadInput,
                "schedule",
                "rank " + std::to_string(key.from) + " and rank " + std::to_string(key.to) +
                    " do not both issue the transfer of " +
                    (key.forward ? "an output" : "a gradient") +
                    (key.stage < 0 ? ", number " + std::to_string(key.turn)
                                   : " of stage " + std::to_string(key.stage) + " for microbatch " +
                                         std::to_string(key.microBatch)),
                ""};
    }

    void writeStep(std::size_t rank, const CommStep& step) {
        switch (step.kind) {
            case CommStep::Kind::Compute:
                passes_.write(rank, step.action, {});
                break;
            case CommStep::Kind::Call:
                waitFor(rank, post(rank, step.ops));
                break;
            case CommStep::Kind::Post:
                posts_[step.handle] = post(rank, step.ops);
                break;
            case CommStep::Kind::Wait: {
                const std::vector<StageOps>& posted = posts_[step.handle];
                waitFor(rank,
                        step.which < 0 ? posted
                                       : std::vector<StageOps>{
                                             posted.at(static_cast<std::size_t>(step.which))});
                break;
            }
        }
    }

    /// This rank's side of some transfers: they begin after what it did last.
    std::vector<StageOps> post(std::size_t rank, const std::vector<PeerTransfer>& sides) {
        std::vector<StageOps> transfers;
        for (const PeerTransfer& side : sides) {
            transfers.push_back(sideOf(rank, side));
            writer_.wait(transfers.back(), writer_.last(rank));
            if (side.send && !writer_.last(rank).empty()) {
                addHops(rank, keyOf(rank, side).to, transfers.back());
            }
            countTurn(rank, side);
        }
        return transfers;
    }

    /// The rank continues once all of these have ended.
    void waitFor(std::size_t rank, const std::vector<StageOps>& transfers) {
        const StageOps waited =
            writer_.add(rank, {.kind = SimKind::Meeting, .stream = SimStream::Pipeline});
        for (const StageOps& transfer : transfers) {
            writer_.wait(waited, transfer);
        }
        writer_.follow(rank, waited);
    }

    [[nodiscard]] TransferKey keyOf(std::size_t rank, const PeerTransfer& side) const {
        const std::size_t ranks = calls_.size();
        const bool up = side.send == side.forward;  // towards the next rank of the ring
        const std::size_t ring = (rank + (up ? 1 : ranks - 1)) % ranks;
        const std::size_t peer = side.stage < 0 ? ring : static_cast<std::size_t>(side.peer);
        TransferKey key{.from = side.send ? rank : peer,
                        .to = side.send ? peer : rank,
                        .forward = side.forward,
                        .stage = side.stage,
                        .microBatch = side.microBatch};
        if (side.stage < 0) {
            const auto turn = turns_.find({key.from, key.to, side.forward, side.send});
            key.turn = turn == turns_.end() ? 0 : turn->second;
        }
        return key;
    }
    void countTurn(std::size_t rank, const PeerTransfer& side) {
        if (side.stage < 0) {
            const TransferKey key = keyOf(rank, side);
            ++turns_[{key.from, key.to, side.forward, side.send}];
        }
    }

    const StageOps& sideOf(std::size_t rank, const PeerTransfer& side) {
        const TransferKey key = keyOf(rank, side);
        const auto [entry, isNew] = transfers_.try_emplace(key);
        if (isNew) {
            entry->second.ops =
                writer_.add(key.to, handOver_.op(key.from, key.to, writer_.flows()));
        }
        ++entry->second.sides;
        return entry->second.ops;
    }

    void addHops(std::size_t from, std::size_t to, const StageOps& transfers) {
        for (std::size_t member = 0; member < transfers.size(); ++member) {
            writer_.program().hop({.op = transfers[member],
                                   .made = writer_.last(from)[member],
                                   .from = writer_.ranks().of(from)[member],
                                   .to = writer_.ranks().of(to)[member],
                                   .bytes = handOver_.bytes});
        }
    }

    const CommProgram& calls_;
    HandOver handOver_;
    StageOpWriter& writer_;
    PassWriter& passes_;
    std::map<TransferKey, Transfer> transfers_;
    /// From, to, forward, send: how many that side has posted.
    std::map<std::tuple<std::size_t, std::size_t, bool, bool>, std::int64_t> turns_;
    std::map<std::int32_t, std::vector<StageOps>> posts_;  ///< of the rank, by handle
};

}  // namespace

Result<void> addCalls(const CommProgram& calls,
                      HandOver handOver,
                      StageOpWriter& writer,
                      PassWriter& passes) {
    return CallWriter(calls, handOver, writer, passes).write();
}

}  // namespace fabricast
