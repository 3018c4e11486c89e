#include "planner/comm/collective_correction.h"

#include <algorithm>
#include <bit>
#include <cmath>

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
    CollectiveCorrection row{.kind = curve.kind,
                             .ranks = curve.ranks,
                             .leastBytes = curve.points.front().bytes,
                             .mostBytes = curve.points.back().bytes};
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
    send.leastBytes /= 2.0;
    send.mostBytes /= 2.0;
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

/// What one machine says of a group.
struct Candidate {
    std::size_t machine = 0;
    double distance = 0.0;
    bool isSameDie = false;
    bool isOwn = false;         ///< of the user
    bool isOwnMachine = false;  ///< and of this very machine, with ranks that are spread alike
    CollectiveEvidence evidence = CollectiveEvidence::Modelled;
    Bracket bracket;
    std::array<double, kKnots> logRatio{};

    [[nodiscard]] bool reaches(std::size_t knot) const {
        const double bytes = knotBytes(knot);
        return !isOwn || (bracket.low->reaches(bytes) && bracket.high->reaches(bytes));
    }
};

void setRatios(const GroupShape& shape, Candidate& candidate) {
    const CollectiveCorrection& low = *candidate.bracket.low;
    const CollectiveCorrection& high = *candidate.bracket.high;
    double part = 0.0;
    double weight = 1.0;
    if (&low != &high && low.ranks != high.ranks) {
        part = octaves(shape.ranks, low.ranks) / octaves(high.ranks, low.ranks);
    } else {
        weight = 1.0 / (1.0 + distanceTo(low, shape) / kHalfDistance);
    }
    for (std::size_t knot = 0; knot < kKnots; ++knot) {
        candidate.logRatio[knot] =
            weight * (low.logRatio[knot] * (1.0 - part) + high.logRatio[knot] * part);
    }
}

/// Gathers and scatters over nodes without measurements are assumed to fall short of the model half
/// as far as an all-reduce: they share its network, but not its algorithm.
constexpr double kStandInWeight = 0.5;
constexpr std::array kStandIns = {CollectiveKind::AllGather, CollectiveKind::ReduceScatter};

/// What a user measured on a machine holds for it, whatever was measured on others like it.
bool isOwnMeasurementOf(const MeasuredPlace& here, const MeasuredPlace& there, double unlikeness) {
    return there.own && unlikeness == 0.0 && here.node == there.node;
}

std::vector<Candidate> candidatesFor(CollectiveKind kind,
                                     const GroupShape& shape,
                                     const MeasuredPlace& place,
                                     const CorrectionTable& table) {
    std::vector<Candidate> all;
    for (std::size_t machine = 0; machine < table.machines.size(); ++machine) {
        const MeasuredPlace& there = table.machines[machine];
        const auto unlike = unlikeness(place, there, shape.nodes > 1);
        Bracket bracket = unlike ? bracketOf(kind, shape, machine, table) : Bracket();
        if (bracket.low == nullptr && bracket.high == nullptr) {
            continue;
        }
        bracket.low = bracket.low != nullptr ? bracket.low : bracket.high;
        bracket.high = bracket.high != nullptr ? bracket.high : bracket.low;
        const double distance =
            std::min(distanceTo(*bracket.low, shape), distanceTo(*bracket.high, shape));
        Candidate candidate{.machine = machine,
                            .distance = *unlike + distance,
                            .isSameDie = *unlike == 0.0,
                            .isOwn = there.own,
                            .isOwnMachine = isOwnMeasurementOf(place, there, *unlike) &&
                                            isSpreadAlike(*bracket.low, shape),
                            .evidence = *unlike == 0.0 && distance == 0.0
                                            ? CollectiveEvidence::Measured
                                            : CollectiveEvidence::NearMeasured,
                            .bracket = bracket};
        setRatios(shape, candidate);
        all.push_back(candidate);
    }
    return all;
}

/// Machines of one die that were measured with as many ranks count as their geometric mean: how
/// they differ is how boxes do, and none of them is to be the slower GPU for it.
std::optional<KnotCorrection> nearestOf(const std::vector<Candidate>& candidates,
                                        std::size_t knot) {
    const Candidate* nearest = nullptr;
    double sum = 0.0;
    std::size_t pooled = 0;
    for (const Candidate& one : candidates) {
        if (!one.reaches(knot)) {
            continue;
        }
        if (one.isOwnMachine) {
            return KnotCorrection{one.logRatio[knot], one.evidence, one.machine, 1, one.isOwn};
        }
        if (nearest == nullptr || one.distance < nearest->distance) {
            nearest = &one;
            sum = 0.0;
            pooled = 0;
        } else if (one.distance > nearest->distance || !one.isSameDie) {
            continue;
        }
        sum += one.logRatio[knot];
        ++pooled;
    }
    if (nearest == nullptr) {
        return std::nullopt;
    }
    return KnotCorrection{sum / static_cast<double>(pooled),
                          nearest->evidence,
                          nearest->machine,
                          pooled,
                          nearest->isOwn};
}

ChosenCorrection chooseOf(CollectiveKind kind,
                          const GroupShape& shape,
                          const MeasuredPlace& place,
                          const CorrectionTable& table) {
    const std::vector<Candidate> candidates = candidatesFor(kind, shape, place, table);
    ChosenCorrection chosen;
    for (std::size_t knot = 0; knot < kKnots; ++knot) {
        chosen[knot] = nearestOf(candidates, knot);
    }
    return chosen;
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

ChosenCorrection chooseCorrection(CollectiveKind kind,
                                  const GroupShape& shape,
                                  const MeasuredPlace& place,
                                  const CorrectionTable& table) {
    if (shape.ranks <= 1) {
        return {};
    }
    ChosenCorrection chosen = chooseOf(kind, shape, place, table);
    const bool hasStandIn =
        shape.nodes > 1 && std::ranges::find(kStandIns, kind) != kStandIns.end();
    if (hasStandIn) {
        const ChosenCorrection other = chooseOf(CollectiveKind::AllReduce, shape, place, table);
        for (std::size_t knot = 0; knot < kKnots; ++knot) {
            if (!chosen[knot] && other[knot]) {
                chosen[knot] = other[knot];
                chosen[knot]->logRatio *= kStandInWeight;
                chosen[knot]->evidence = CollectiveEvidence::NearMeasured;
            }
        }
    }
    return chosen;
}

KnotPlace knotPlace(Bytes size) {
    const auto bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(size.count(), 1));
    const int log2 = static_cast<int>(std::bit_width(bytes)) - 1;
    if (log2 < kFirstKnot) {
        return {};
    }
    const auto knot = std::min(static_cast<std::size_t>(log2 - kFirstKnot), kKnots - 1);
    const auto low = static_cast<double>(std::uint64_t{1} << (knot + kFirstKnot));
    return {.knot = knot, .part = static_cast<double>(bytes) / low - 1.0};
}

const std::optional<KnotCorrection>& correctionAt(const ChosenCorrection& chosen, Bytes size) {
    const KnotPlace place = knotPlace(size);
    const auto& low = chosen[place.knot];
    const auto& high = chosen[std::min(place.knot + (place.part > 0.0 ? 1U : 0U), kKnots - 1)];
    return low && low->own && !(high && high->own) ? high : low;
}

}  // namespace fabricast
