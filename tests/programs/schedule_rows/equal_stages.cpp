#include "tests/programs/schedule_rows/equal_stages.h"

#include <algorithm>

namespace fabricast {
namespace {

bool splitsEvenly(const EqualTimes& times) {
    return times.forward == times.inputGradient && times.forward == times.weightGradient;
}

}  // namespace

std::optional<double> equalStagesMakespan(OrderKind kind,
                                          const PipelineShape& shape,
                                          const EqualTimes& times) {
    const auto ranks = static_cast<double>(shape.ranks);
    const auto count = static_cast<double>(shape.microBatches);
    const auto chunks = static_cast<double>(shape.chunks);
    const double both = times.forward + times.backward;
    const double parts = times.forward + times.inputGradient + times.weightGradient;
    switch (kind) {
        case OrderKind::Gpipe:
        case OrderKind::OneFOneB:
        case OrderKind::LoopedBfs:
        case OrderKind::Interleaved:
        case OrderKind::InterleavedPairs:
            // (max(m, p)·v + min(m, p) - 1)(F + B)
            return (std::max(count, ranks) * chunks + std::min(count, ranks) - 1) * both;
        case OrderKind::InterleavedZb:
            // m·v(F + I + W) + (p - 1)·max(F, I, F + I - W)
            if (count >= ranks) {
                const double bubble = std::max(
                    {times.forward, times.inputGradient, parts - 2 * times.weightGradient});
                return count * chunks * parts + (ranks - 1) * bubble;
            }
            return std::nullopt;
        case OrderKind::ZbH2:
        case OrderKind::ZbV:
            // F = I = W: m·v·3F + (p - 1)F
            if (count >= 2 * ranks - 1 && splitsEvenly(times)) {
                return count * chunks * parts + (ranks - 1) * times.forward;
            }
            return std::nullopt;
        case OrderKind::DualPipeV:
        case OrderKind::DualPipe:
            // F = I = W, B = 2F: as many forwards of bubble as there are ranks to both sides
            if (splitsEvenly(times) && times.backward == 2 * times.forward) {
                const bool folded = kind == OrderKind::DualPipeV;
                return count * chunks * parts +
                       (folded ? 2 * (ranks - 1) : ranks - 2) * times.forward;
            }
            return std::nullopt;
        case OrderKind::DualPipeVWhole:
        case OrderKind::VHalf:
        case OrderKind::VMin:
            break;
    }
    return std::nullopt;
}

}  // namespace fabricast
