#include "simulator/program/pass_pieces.h"

#include <algorithm>
#include <cmath>

namespace fabricast {
namespace {

/// Seconds that become whole picoseconds where they end, so that errors do not add up.
class PieceWriter {
public:
    void add(SimStream stream, double seconds, std::optional<GroupKind> group = std::nullopt) {
        const SimTime before = simTime(Seconds(sum_));
        sum_ += std::max(0.0, seconds);
        const SimTime duration = simTime(Seconds(sum_)) - before;
        if (duration > SimTime(0)) {
            pieces_.push_back({stream, duration, group});
        }
    }
    [[nodiscard]] PassPieces finish() && {
        if (pieces_.empty()) {
            pieces_.push_back({});
        }
        return std::move(pieces_);
    }

private:
    double sum_ = 0.0;
    PassPieces pieces_;
};

/// What is waited for of parameters and gradients that other ranks hold.
double shardedSeconds(const PassComm& comm) {
    const CommSeconds& exposed = comm.exposed;
    return exposed.blockGather + exposed.endGather + exposed.blockReduce + exposed.endReduce;
}

}  // namespace

PassPieces passPieces(const ChunkTime& chunk, Pass pass) {
    PieceWriter pieces;
    if (pass == Pass::WeightGradient) {
        pieces.add(SimStream::Compute, chunk.weightSeconds);
        return std::move(pieces).finish();
    }
    const bool forward = pass == Pass::Forward;
    const TimeByPart& time = forward ? chunk.forward : chunk.backward;
    const double later = pass == Pass::InputGradient ? chunk.weightSeconds : 0.0;
    const double kernels = time.of(TimePart::Gemm) + time.of(TimePart::Attention) +
                           time.of(TimePart::MemoryBound) - later;
    const double sharded = shardedSeconds(forward ? chunk.forwardComm : chunk.backwardComm);
    pieces.add(SimStream::Compute, kernels);
    pieces.add(SimStream::Tensor, time.of(TimePart::Tensor), GroupKind::Tensor);
    pieces.add(SimStream::Expert, time.of(TimePart::Context), GroupKind::Context);
    pieces.add(SimStream::Expert, time.of(TimePart::Expert), GroupKind::Expert);
    pieces.add(SimStream::Data, sharded, GroupKind::DataContext);
    // The rest of what sharding takes are copies to and from the host's memory.
    pieces.add(SimStream::Copy, time.of(TimePart::Shard) - sharded);
    pieces.add(SimStream::Host, time.of(TimePart::Host));
    return std::move(pieces).finish();
}

CutPass cutPass(const PassPieces& pieces, double share) {
    CutPass cut;
    for (const PassPiece& piece : pieces) {
        const SimTime first(static_cast<std::int64_t>(
            std::llround(static_cast<double>(piece.duration.count()) * share)));
        cut.first.push_back({piece.stream, first, piece.group});
        cut.rest.push_back({piece.stream, piece.duration - first, piece.group});
    }
    return cut;
}

}  // namespace fabricast
