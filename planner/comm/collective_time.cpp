#include "planner/comm/collective_time.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fabricast {
namespace {

/// Bytes that a channel must have to be worth opening: threads times the least per thread.
constexpr double kLlChannelBytes = 512 * 8;
constexpr double kLl128ChannelBytes = 640 * 8;
constexpr double kSimpleChannelBytes = 512 * 64;
/// The bytes per channel and rank from which a ring over nodes reaches its plateau.
constexpr double kLongRing = 64;

/// To each peer, in a send by itself or in a group of them: up to here flags are in the data,
/// beyond they are not, whatever takes less time (NCCL and RCCL: src/enqueue.cc, P2P_LL_THRESHOLD).
constexpr double kPairLlBytes = 16.0 * 1024.0;

/// Whether the library takes this line for so many bytes.
bool isTaken(const CollectiveLine& line, double bytesToEach) {
    return line.algorithm != CollectiveAlgorithm::PointToPoint ||
           (line.protocol == CollectiveProtocol::Ll) == (bytesToEach <= kPairLlBytes);
}

std::int64_t openChannels(const CollectiveLine& line, double size, double ranks) {
    double least = kSimpleChannelBytes;
    if (line.protocol == CollectiveProtocol::Ll) {
        least = kLlChannelBytes * (line.algorithm == CollectiveAlgorithm::Ring ? ranks : 1.0);
    } else if (line.protocol == CollectiveProtocol::Ll128) {
        least = kLl128ChannelBytes;
    }
    const double wanted = std::min(size / least, static_cast<double>(line.channels));
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(wanted));
}

}  // namespace

/// The model's table says 64 B, 128 B, ...; between them along the logarithm, so that more bytes
/// never take less time.
double CollectivePrior::treeCorrection(CollectiveProtocol protocol, double size) const {
    const std::vector<double>& table = model_->treeCorrection[static_cast<std::size_t>(protocol)];
    constexpr double kFirst = 6.0;
    if (table.empty()) {
        return 1.0;
    }
    const auto last = static_cast<double>(table.size() - 1);
    const double place = std::clamp(std::log2(std::max(size, 1.0)) - kFirst, 0.0, last);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, table.size() - 1);
    return table[below] + (table[above] - table[below]) * (place - static_cast<double>(below));
}

CollectivePrior::Choice CollectivePrior::choose(double size) const {
    Choice best{.seconds = Seconds(std::numeric_limits<double>::infinity())};
    const bool isToAll = kind_ == CollectiveKind::AllToAll;
    const double bytesToEach = isToAll ? size / static_cast<double>(shape_.ranks) : size;
    for (std::size_t i = 0; i < count_; ++i) {
        const CollectiveLine& line = lines_[i];
        if (!isTaken(line, bytesToEach)) {
            continue;
        }
        double latency = line.latency.count();
        double bandwidth = line.bandwidth.count();
        if (line.algorithm == CollectiveAlgorithm::Tree) {
            bandwidth *= treeCorrection(line.protocol, size);
        } else if (line.algorithm == CollectiveAlgorithm::Ring &&
                   line.protocol == CollectiveProtocol::Simple && shape_.nodes > 1 &&
                   kind_ == CollectiveKind::AllReduce &&
                   size >= kLongRing * static_cast<double>(line.channels * shape_.ranks)) {
            latency *= links_->generation.longRingFactor;
        }
        const double seconds = latency + size / bandwidth;
        if (seconds < best.seconds.count()) {
            best = {.seconds = Seconds(seconds), .line = i};
        }
    }
    return best;
}

Seconds CollectivePrior::secondsAt(double size) const {
    return shape_.ranks <= 1 ? Seconds(0) : choose(size).seconds;
}

CollectiveTime CollectivePrior::at(Bytes size) const {
    if (shape_.ranks <= 1) {
        return {};
    }
    const auto bytes = static_cast<double>(size.count());
    const auto ranks = static_cast<double>(shape_.ranks);
    const Choice best = choose(bytes);
    const CollectiveLine& line = lines_[best.line];
    const bool known =
        shape_.nodes > 1 ? links_->networkMeasured : graph_.intra == LinkClass::NvLink;
    return {
        .seconds = best.seconds,
        .algorithm = line.algorithm,
        .protocol = line.protocol,
        .channels = openChannels(line, bytes, ranks),
        .wire = Bytes(static_cast<std::int64_t>(wireBytes(kind_, line.algorithm, bytes, ranks))),
        .evidence = known ? CollectiveEvidence::Modelled : CollectiveEvidence::Assumed};
}

double wireBytes(CollectiveKind kind, CollectiveAlgorithm algorithm, double size, double ranks) {
    switch (kind) {
        case CollectiveKind::AllReduce:
            if (algorithm == CollectiveAlgorithm::Nvls ||
                algorithm == CollectiveAlgorithm::NvlsTree) {
                // The switch adds what all send, and multicasts each share of the sum.
                return size * (1.0 + 1.0 / ranks);
            }
            return 2.0 * size * (ranks - 1.0) / ranks;
        case CollectiveKind::AllGather:
        case CollectiveKind::ReduceScatter:
        case CollectiveKind::AllToAll:
            return size * (ranks - 1.0) / ranks;
        default:
            return size;
    }
}

CollectiveTime collectiveTime(CollectiveKind kind,
                              Bytes size,
                              const GroupShape& shape,
                              const ClusterLinks& links,
                              const NcclModel& model) {
    return CollectivePrior(kind, shape, links, model).at(size);
}

}  // namespace fabricast
