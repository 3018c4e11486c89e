#include "simulator/program/pass_pieces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace fabricast {
namespace {

/// The transfers of a pass on one stream for one group: exposed, and overlapped.
struct Moved {
    SimStream stream = SimStream::Tensor;
    GroupKind group = GroupKind::Tensor;
    std::uint32_t flow = kNoFlow;
    double waited = 0.0;
    double hidden = 0.0;
};

/// Seconds of one layer.
struct LayerParts {
    double kernels = 0.0;
    std::vector<Moved> moved;
    double copies = 0.0;
    double host = 0.0;
};

/// Seconds that become whole picoseconds where they end, so that errors do not add up.
class PieceWriter {
public:
    void addLayer(const LayerParts& layer) {
        addBeside(layer);
        add({.stream = SimStream::Compute}, layer.kernels);
        for (const Moved& moved : layer.moved) {
            const PassPiece wait{.stream = moved.stream, .group = moved.group, .flow = moved.flow};
            add(wait, moved.waited, moved.hidden > 0.0);
        }
        add({.stream = SimStream::Copy}, layer.copies);
        add({.stream = SimStream::Host}, layer.host);
    }
    [[nodiscard]] PassPieces finish() && {
        if (pieces_.empty()) {
            pieces_.push_back({});
        }
        return std::move(pieces_);
    }

private:
    /// What is hidden ends before it is waited for: it takes no longer than what comes before that.
    void addBeside(const LayerParts& layer) {
        std::array<double, kSimStreams> used{};
        double before = layer.kernels;
        for (const Moved& moved : layer.moved) {
            double& sum = used[static_cast<std::size_t>(moved.stream)];
            const double hidden = std::min(moved.hidden, before - sum);
            const SimTime duration(static_cast<std::int64_t>(hidden * kPicoseconds));
            if (duration > SimTime(0)) {
                sum += hidden;
                pieces_.push_back({moved.stream, duration, moved.group, moved.flow, true});
            }
            before += moved.waited;
        }
    }

    void add(PassPiece piece, double seconds, bool always = false) {
        const SimTime before = simTime(Seconds(sum_));
        sum_ += std::max(0.0, seconds);
        piece.duration = simTime(Seconds(sum_)) - before;
        if (always || piece.duration > SimTime(0)) {
            pieces_.push_back(piece);
        }
    }

    double sum_ = 0.0;
    PassPieces pieces_;
};

/// Parameters, gradients and buffers that other ranks hold.
double shardedSeconds(const CommSeconds& comm) {
    return comm.blockGather + comm.endGather + comm.blockReduce + comm.endReduce + comm.buffers;
}

double hiddenOf(double moved, double waited) {
    return std::max(0.0, moved - waited);
}

LayerParts partsOf(const ChunkTime& chunk, Pass pass, const PassFlows& flows) {
    if (pass == Pass::WeightGradient) {
        return {.kernels = chunk.weightSeconds};
    }
    const bool forward = pass == Pass::Forward;
    const TimeByPart& time = forward ? chunk.forward : chunk.backward;
    const PassComm& comm = forward ? chunk.forwardComm : chunk.backwardComm;
    const double later = pass == Pass::InputGradient ? chunk.weightSeconds : 0.0;
    const auto moved =
        [&](SimStream stream, GroupKind group, std::uint32_t flow, double all, double waited) {
            return Moved{stream, group, flow, waited, hiddenOf(all, waited)};
        };
    const CommSeconds& all = comm.moved;
    const double sharded = shardedSeconds(comm.exposed);
    return {.kernels = time.of(TimePart::Gemm) + time.of(TimePart::Attention) +
                       time.of(TimePart::MemoryBound) - later,
            .moved = {moved(SimStream::Tensor,
                            GroupKind::Tensor,
                            flows.tensor,
                            all.tensor + all.regather + all.shared,
                            time.of(TimePart::Tensor)),
                      moved(SimStream::Expert,
                            GroupKind::Context,
                            flows.context,
                            all.context,
                            time.of(TimePart::Context)),
                      moved(SimStream::Expert,
                            GroupKind::Expert,
                            flows.expert,
                            all.expert,
                            time.of(TimePart::Expert)),
                      moved(SimStream::Data,
                            GroupKind::DataContext,
                            flows.shard,
                            shardedSeconds(all),
                            sharded)},
            // The rest of what sharding takes are copies to and from the host's memory.
            .copies = time.of(TimePart::Shard) - sharded,
            .host = time.of(TimePart::Host)};
}

}  // namespace

PassPieces passPieces(const ChunkTime& chunk, Pass pass, int layers, const PassFlows& flows) {
    LayerParts layer = partsOf(chunk, pass, flows);
    const double part = 1.0 / static_cast<double>(layers);
    layer.kernels *= part;
    layer.copies *= part;
    layer.host *= part;
    for (Moved& moved : layer.moved) {
        moved.waited *= part;
        moved.hidden *= part;
    }
    PieceWriter pieces;
    for (int i = 0; i < layers; ++i) {
        pieces.addLayer(layer);
    }
    return std::move(pieces).finish();
}

CutPass cutPass(const PassPieces& pieces, double share) {
    CutPass cut;
    for (const PassPiece& piece : pieces) {
        const SimTime first(static_cast<std::int64_t>(
            std::llround(static_cast<double>(piece.duration.count()) * share)));
        cut.first.push_back(piece);
        cut.first.back().duration = first;
        cut.rest.push_back(piece);
        cut.rest.back().duration = piece.duration - first;
    }
    return cut;
}

}  // namespace fabricast
