#include "planner/comm/collective_correction.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fabricast {
namespace {

/// Octaves of ranks after which a correction counts half.
constexpr double kHalfDistance = 4.0;
/// Unlikeness in octaves of ranks: another GPU with the same links, another PCIe tree, another
/// network of the same kind.
constexpr double kOtherGpu = 0.3;
constexpr double kOtherBoard = 2.0;
constexpr double kOtherNetwork = 0.5;

double knotBytes(std::size_t knot) {
    return std::ldexp(1.0, kFirstKnot + static_cast<int>(knot));
}

/// Measured over modelled at the measured sizes, between them along log(bytes), beyond them as at
/// the last.
CollectiveCorrection correctionOf(const MeasuredCurve& curve, const CollectivePrior& prior) {
    CollectiveCorrection row{.kind = curve.kind, .ranks = curve.ranks};
    const auto ratioAt = [&](const MeasuredCurve::Point& point) {
        return std::log(point.seconds / prior.secondsAt(point.bytes));
    };
    std::size_t above = 0;
    for (std::size_t knot = 0; knot < kKnots; ++knot) {
        const double bytes = knotBytes(knot);
        while (above < curve.points.size() && curve.points[above].bytes < bytes) {
            ++above;
        }
        if (above == 0 || above == curve.points.size()) {
            row.logRatio[knot] = ratioAt(above == 0 ? curve.points.front() : curve.points.back());
            continue;
        }
        const MeasuredCurve::Point& low = curve.points[above - 1];
        const MeasuredCurve::Point& high = curve.points[above];
        const double part = std::log(bytes / low.bytes) / std::log(high.bytes / low.bytes);
        row.logRatio[knot] = ratioAt(low) * (1.0 - part) + ratioAt(high) * part;
    }
    return row;
}

/// A send is half of an all-to-all between two: the same kernel, with the message for a peer.
CollectiveCorrection sendOf(const CollectiveCorrection& pair) {
    CollectiveCorrection send = pair;
    send.kind = CollectiveKind::SendReceive;
    for (std::size_t knot = 0; knot + 1 < kKnots; ++knot) {
        send.logRatio[knot] = pair.logRatio[knot + 1];
    }
    return send;
}

bool names(const std::vector<std::string>& list, const std::string& name) {
    return std::ranges::find(list, name) != list.end();
}

bool alikeNetworks(const std::string& a, const std::string& b) {
    const auto rdma = [](const std::string& kind) {
        return kind == "infiniband" || kind == "roce";
    };
    return a == b || (rdma(a) && rdma(b));
}

/// How unlike two places are for collectives inside a node or over several; nothing: incomparable.
std::optional<double> unlikeness(const MeasuredPlace& here,
                                 const MeasuredPlace& there,
                                 bool overNodes) {
    if (here.fabric != there.fabric || here.generation != there.generation) {
        return std::nullopt;
    }
    if (here.fabric == NodeFabric::Pcie && here.pciPeers != there.pciPeers) {
        return std::nullopt;
    }
    double distance = 0.0;
    if (here.gpus.empty() || !names(there.gpus, here.gpus.front())) {
        distance += kOtherGpu;
    }
    if (here.fabric == NodeFabric::Pcie && here.node != there.node) {
        distance += kOtherBoard;
    }
    if (overNodes) {
        if (!alikeNetworks(here.networkKind, there.networkKind)) {
            return std::nullopt;
        }
        // What Google's NICs reach differs by machine.
        const bool own = here.networkKind == "gpudirect-tcpx" || here.networkKind == "efa";
        if (own && here.network != there.network) {
            return std::nullopt;
        }
        distance += here.network == there.network ? 0.0 : kOtherNetwork;
    }
    return distance;
}

/// Over nodes, as many ranks in each share as many NICs.
bool isSpreadAlike(const CollectiveCorrection& row, const GroupShape& shape) {
    return shape.nodes == 1 || row.perNode == shape.perNode;
}

/// The two rows of one machine whose ranks enclose a group's, of those that are spread alike where
/// there are any.
struct Bracket {
    const CollectiveCorrection* low = nullptr;
    const CollectiveCorrection* high = nullptr;
};

Bracket bracketOf(CollectiveKind kind,
                  const GroupShape& shape,
                  std::size_t machine,
                  const CorrectionTable& table) {
    const auto fits = [&](const CollectiveCorrection& row) {
        return row.kind == kind && row.machine == machine && (row.nodes > 1) == (shape.nodes > 1);
    };
    const bool hasAlike = std::ranges::any_of(
        table.rows, [&](const auto& row) { return fits(row) && isSpreadAlike(row, shape); });
    Bracket bracket;
    for (const CollectiveCorrection& row : table.rows) {
        if (!fits(row) || (hasAlike && !isSpreadAlike(row, shape))) {
            continue;
        }
        if (row.ranks <= shape.ranks &&
            (bracket.low == nullptr || row.ranks > bracket.low->ranks)) {
            bracket.low = &row;
        }
        if (row.ranks >= shape.ranks &&
            (bracket.high == nullptr || row.ranks < bracket.high->ranks)) {
            bracket.high = &row;
        }
    }
    return bracket;
}

double octaves(std::int64_t a, std::int64_t b) {
    return std::abs(std::log2(static_cast<double>(a) / static_cast<double>(b)));
}

/// How far a group is from one that was measured, in octaves of ranks and of ranks per node.
double distanceTo(const CollectiveCorrection& row, const GroupShape& shape) {
    double distance = octaves(row.ranks, shape.ranks);
    if (row.nodes > 1) {
        distance += octaves(row.perNode, shape.perNode);
    }
    return distance;
}

ChosenCorrection between(const Bracket& bracket, const GroupShape& shape) {
    ChosenCorrection chosen;
    const CollectiveCorrection& low = bracket.low != nullptr ? *bracket.low : *bracket.high;
    const CollectiveCorrection& high = bracket.high != nullptr ? *bracket.high : *bracket.low;
    double part = 0.0;
    double weight = 1.0;
    if (&low != &high && low.ranks != high.ranks) {
        part = octaves(shape.ranks, low.ranks) / octaves(high.ranks, low.ranks);
    } else {
        weight = 1.0 / (1.0 + distanceTo(low, shape) / kHalfDistance);
    }
    for (std::size_t knot = 0; knot < kKnots; ++knot) {
        chosen.logRatio[knot] =
            weight * (low.logRatio[knot] * (1.0 - part) + high.logRatio[knot] * part);
    }
    const bool same = distanceTo(low, shape) == 0.0 || distanceTo(high, shape) == 0.0;
    chosen.evidence = same ? CollectiveEvidence::Measured : CollectiveEvidence::NearMeasured;
    return chosen;
}

/// Gathers and scatters over nodes without measurements are assumed to fall short of the model half
/// as far as an all-reduce: they share its network, but not its algorithm.
constexpr double kStandInWeight = 0.5;
constexpr std::array kStandIns = {CollectiveKind::AllGather, CollectiveKind::ReduceScatter};

/// What a user measured on a machine holds for it, whatever was measured on others like it.
bool isOwnMeasurementOf(const MeasuredPlace& here, const MeasuredPlace& there, double unlikeness) {
    return there.own && unlikeness == 0.0 && here.node == there.node;
}

/// Machines of one die that were measured with as many ranks: how they differ is how boxes do, and
/// none of them is to be the slower GPU for it.
class SameDie {
public:
    void add(const ChosenCorrection& one) {
        for (std::size_t knot = 0; knot < kKnots; ++knot) {
            sum_[knot] += one.logRatio[knot];
        }
        ++count_;
    }
    void clear() { *this = SameDie(); }
    /// The geometric mean of their times.
    void pool(ChosenCorrection& chosen) const {
        chosen.pooled = count_;
        for (std::size_t knot = 0; count_ > 1 && knot < kKnots; ++knot) {
            chosen.logRatio[knot] = sum_[knot] / static_cast<double>(count_);
        }
    }

private:
    std::array<double, kKnots> sum_{};
    std::size_t count_ = 0;
};

std::optional<ChosenCorrection> chooseOf(CollectiveKind kind,
                                         const GroupShape& shape,
                                         const MeasuredPlace& place,
                                         const CorrectionTable& table) {
    std::optional<ChosenCorrection> best;
    SameDie nearest;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t machine = 0; machine < table.machines.size(); ++machine) {
        const auto unlike = unlikeness(place, table.machines[machine], shape.nodes > 1);
        if (!unlike) {
            continue;
        }
        const Bracket bracket = bracketOf(kind, shape, machine, table);
        if (bracket.low == nullptr && bracket.high == nullptr) {
            continue;
        }
        const auto& nearestRow = bracket.low != nullptr ? *bracket.low : *bracket.high;
        if (isOwnMeasurementOf(place, table.machines[machine], *unlike) &&
            isSpreadAlike(nearestRow, shape)) {
            ChosenCorrection own = between(bracket, shape);
            own.machine = machine;
            return own;
        }
        double distance = std::numeric_limits<double>::infinity();
        for (const CollectiveCorrection* row : {bracket.low, bracket.high}) {
            if (row != nullptr) {
                distance = std::min(distance, *unlike + distanceTo(*row, shape));
            }
        }
        const bool isSameDie = *unlike == 0.0;
        const ChosenCorrection here = between(bracket, shape);
        if (distance < least) {
            least = distance;
            best = here;
            best->machine = machine;
            nearest.clear();
            if (!isSameDie) {
                best->evidence = CollectiveEvidence::NearMeasured;
            }
        } else if (distance > least || !isSameDie) {
            continue;
        }
        nearest.add(here);
    }
    if (best) {
        nearest.pool(*best);
    }
    return best;
}

}  // namespace

CorrectionTable correctionTable(const std::vector<MeasuredCollectives>& measured,
                                const NcclModel& model) {
    CorrectionTable table;
    for (const MeasuredCollectives& file : measured) {
        const Result<ClusterLinks> links = clusterLinks(file.machine, model);
        if (!links) {
            continue;
        }
        MeasuredPlace place = placeOf(file.machine, *links);
        place.name = file.name;
        place.own = file.own;
        place.gpus.insert(place.gpus.end(), file.gpus.begin(), file.gpus.end());
        for (const MeasuredCurve& curve : file.curves) {
            const GroupShape shape = overHosts(curve.ranks, curve.nodes, *links);
            if (shape.nodes > 1 && links->nicBandwidth.count() <= 0) {
                continue;
            }
            CollectiveCorrection row =
                correctionOf(curve, CollectivePrior(curve.kind, shape, *links, model));
            row.machine = table.machines.size();
            row.nodes = shape.nodes;
            row.perNode = shape.perNode;
            table.rows.push_back(row);
            if (curve.kind == CollectiveKind::AllToAll && curve.ranks == 2) {
                table.rows.push_back(sendOf(row));
            }
        }
        table.machines.push_back(std::move(place));
    }
    return table;
}

MeasuredPlace placeOf(const ClusterSpec& cluster, const ClusterLinks& links) {
    return {.name = {},
            .gpus = {cluster.node.gpu.name},
            .generation = links.generation.name,
            .fabric = links.fabric,
            .pciPeers = links.pciPeers,
            .node = cluster.node.name,
            .networkKind = cluster.fabric.kind,
            .network = cluster.fabric.name};
}

std::optional<ChosenCorrection> chooseCorrection(CollectiveKind kind,
                                                 const GroupShape& shape,
                                                 const MeasuredPlace& place,
                                                 const CorrectionTable& table) {
    if (shape.ranks <= 1) {
        return std::nullopt;
    }
    std::optional<ChosenCorrection> chosen = chooseOf(kind, shape, place, table);
    const bool standIn = std::ranges::find(kStandIns, kind) != kStandIns.end();
    if (!chosen && shape.nodes > 1 && standIn) {
        chosen = chooseOf(CollectiveKind::AllReduce, shape, place, table);
        if (chosen) {
            chosen->evidence = CollectiveEvidence::NearMeasured;
            for (double& ratio : chosen->logRatio) {
                ratio *= kStandInWeight;
            }
        }
    }
    return chosen;
}

}  // namespace fabricast
