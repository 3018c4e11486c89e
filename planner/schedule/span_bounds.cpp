#include "planner/schedule/span_bounds.h"

#include <algorithm>
#include <vector>

namespace fabricast {
namespace {

/// Backwards of an order: whole, split, or some of either.
struct Split {
    bool whole = true;
    bool parts = false;
};
Split splitOf(OrderKind kind) {
    switch (kind) {
        case OrderKind::InterleavedZb:
        case OrderKind::ZbV:
        case OrderKind::ZbH2:
        case OrderKind::VHalf:
        case OrderKind::VMin:
            return {false, true};
        case OrderKind::DualPipeV:
        case OrderKind::DualPipe:
            return {true, true};
        default:
            return {true, false};
    }
}

/// The least that the passes of a stage take, for one microbatch. A search asks for it of many
/// stages: which backwards there are is settled before.
template <Split kSplit>
class LeastTimes {
public:
    explicit LeastTimes(const SpanTimes<double>& times) : passes_(times.passes) {}

    [[nodiscard]] double forward(std::size_t stage) const {
        return passes_[timeIndex(stage, Pass::Forward)];
    }
    /// Until the previous stage may continue.
    [[nodiscard]] double toInput(std::size_t stage) const {
        const double whole = passes_[timeIndex(stage, Pass::Backward)];
        const double input = passes_[timeIndex(stage, Pass::InputGradient)];
        return !kSplit.parts ? whole : kSplit.whole ? std::min(whole, input) : input;
    }
    [[nodiscard]] double backward(std::size_t stage) const {
        const double whole = passes_[timeIndex(stage, Pass::Backward)];
        const double parts = passes_[timeIndex(stage, Pass::InputGradient)] +
                             passes_[timeIndex(stage, Pass::WeightGradient)];
        return !kSplit.parts ? whole : kSplit.whole ? std::min(whole, parts) : parts;
    }

private:
    std::span<const double> passes_;
};

/// From a rank to the next, or back.
double handOverAfter(std::int64_t rank, const SpanTimes<double>& times) {
    const bool leavesSite = times.siteRanks > 0 && (rank + 1) % times.siteRanks == 0;
    return leavesSite ? times.far : times.handOver;
}

/// One stage to a rank, whose receives take its own time: those after the first microbatch's
/// forward, which comes before all its work.
double blockedBy(std::int64_t rank, const PipelineShape& shape, const SpanTimes<double>& times) {
    const auto count = static_cast<double>(shape.microBatches);
    const double forward = rank > 0 ? handOverAfter(rank - 1, times) : 0.0;
    const double backward = rank + 1 < shape.ranks ? handOverAfter(rank, times) : 0.0;
    return (count - 1.0) * forward + count * backward;
}

/// In 1F1B a rank has as many microbatches in flight as there are ranks from it on. The next one
/// waits until the first is back from them.
template <class Least>
std::vector<double> turnsOf(const PipelineShape& shape,
                            const SpanTimes<double>& times,
                            const Least& least) {
    std::vector<double> turns(static_cast<std::size_t>(shape.ranks), 0.0);
    double trip = 0.0;
    for (std::int64_t rank = shape.ranks - 1; rank >= 0; --rank) {
        const auto stage = static_cast<std::size_t>(rank);
        trip += rank + 1 < shape.ranks ? 2.0 * handOverAfter(rank, times) : 0.0;
        trip += least.forward(stage) + least.toInput(stage);
        const std::int64_t inFlight = shape.ranks - rank;
        turns[stage] = trip * static_cast<double>((shape.microBatches + inFlight - 1) / inFlight);
    }
    return turns;
}

template <Split kSplit>
double boundOf(OrderKind kind, const PipelineShape& shape, const SpanTimes<double>& times) {
    const Placement placement = recipeOf(kind).placement;
    const LeastTimes<kSplit> least(times);
    const bool twoWay = placement == Placement::TwoWay;
    const std::int64_t held = twoWay ? 2 : shape.chunks;  // stages of a rank
    const double passesEach = static_cast<double>(shape.microBatches) / (twoWay ? 2 : 1);
    const bool inTurns = kind == OrderKind::OneFOneB && shape.chunks == 1;
    const bool blocks = times.receive == Receive::Block && shape.chunks == 1 &&
                        (inTurns || kind == OrderKind::Gpipe);
    const std::vector<double> turns =
        inTurns ? turnsOf(shape, times, least) : std::vector<double>();
    double bound = 0;
    double fill = 0;
    double drain = 0;
    for (std::int64_t rank = 0; rank < shape.ranks; ++rank) {
        double work = blocks ? blockedBy(rank, shape, times) : 0;
        double weights = 0;  // what may come after the last backward that others wait for
        for (std::int64_t chunk = 0; chunk < held; ++chunk) {
            const bool back = placement != Placement::Loop && chunk % 2 == 1;
            const std::int64_t column = back ? shape.ranks - 1 - rank : rank;
            const auto stage =
                static_cast<std::size_t>(column + (twoWay ? 0 : chunk * shape.ranks));
            const double backward = least.backward(stage);
            work += passesEach * (least.forward(stage) + backward);
            weights += passesEach * std::max(0.0, backward - least.toInput(stage));
        }
        bound = std::max({bound, fill + work, fill + work - weights + drain});
        if (!twoWay) {
            const auto stage = static_cast<std::size_t>(rank);
            bound = inTurns ? std::max(bound, fill + turns[stage] + drain) : bound;
            const double handOver = handOverAfter(rank, times);
            fill += least.forward(stage) + handOver;
            drain += least.toInput(stage) + handOver;
        }
    }
    return bound;
}

}  // namespace

bool endsWithFirstStage(OrderKind kind) {
    return !splitOf(kind).parts && recipeOf(kind).placement != Placement::TwoWay;
}

double makespanBound(OrderKind kind, const PipelineShape& shape, const SpanTimes<double>& times) {
    const Split split = splitOf(kind);
    if (!split.parts) {
        return boundOf<Split{true, false}>(kind, shape, times);
    }
    return split.whole ? boundOf<Split{true, true}>(kind, shape, times)
                       : boundOf<Split{false, true}>(kind, shape, times);
}

}  // namespace fabricast
