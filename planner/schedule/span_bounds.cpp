#include "planner/schedule/span_bounds.h"

#include <algorithm>

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

/// The least that the passes of a stage take, for one microbatch.
class LeastTimes {
public:
    LeastTimes(OrderKind kind, const SpanTimes<double>& times)
        : split_(splitOf(kind)), passes_(times.passes) {}

    [[nodiscard]] double forward(std::size_t stage) const {
        return passes_[timeIndex(stage, Pass::Forward)];
    }
    /// Until the previous stage may continue.
    [[nodiscard]] double toInput(std::size_t stage) const {
        const double whole = passes_[timeIndex(stage, Pass::Backward)];
        const double input = passes_[timeIndex(stage, Pass::InputGradient)];
        return !split_.parts ? whole : split_.whole ? std::min(whole, input) : input;
    }
    [[nodiscard]] double backward(std::size_t stage) const {
        const double whole = passes_[timeIndex(stage, Pass::Backward)];
        const double parts = passes_[timeIndex(stage, Pass::InputGradient)] +
                             passes_[timeIndex(stage, Pass::WeightGradient)];
        return !split_.parts ? whole : split_.whole ? std::min(whole, parts) : parts;
    }

private:
    Split split_;
    std::span<const double> passes_;
};

}  // namespace

bool endsWithFirstStage(OrderKind kind) {
    return !splitOf(kind).parts && recipeOf(kind).placement != Placement::TwoWay;
}

double makespanBound(OrderKind kind, const PipelineShape& shape, const SpanTimes<double>& times) {
    const Placement placement = recipeOf(kind).placement;
    const LeastTimes least(kind, times);
    const bool twoWay = placement == Placement::TwoWay;
    const std::int64_t held = twoWay ? 2 : shape.chunks;  // stages of a rank
    const double passesEach = static_cast<double>(shape.microBatches) / (twoWay ? 2 : 1);
    double bound = 0;
    double fill = 0;
    double drain = 0;
    for (std::int64_t rank = 0; rank < shape.ranks; ++rank) {
        double work = 0;
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
            fill += least.forward(stage) + times.handOver;
            drain += least.toInput(stage) + times.handOver;
        }
    }
    return bound;
}

}  // namespace fabricast
