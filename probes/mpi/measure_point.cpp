#include "probes/mpi/mpi_checks.h"
#include "probes/mpi/mpi_points.h"

#include <array>

namespace fabricast::probe {

namespace {

/// What is measured, beside collectives.
struct PointKind {
    const char* what;
    std::string (*fault)(const Point&, const RankGroup&);
    Measurement (*measure)(Wire&, const RankGroup&, const Point&);
};

template <std::string (*Fault)(const Point&)>
std::string anyGroup(const Point& point, const RankGroup& /*group*/) {
    return Fault(point);
}

constexpr std::array<PointKind, 6> kPointKinds = {
    {{"gemm", anyGroup<gemmFault>, measureGemm},
     {"memory", anyGroup<memoryFault>, measureMemory},
     {"adam", anyGroup<adamFault>, measureAdam},
     {"attention", anyGroup<attentionFault>, measureAttention},
     {"overlap", overlapFault, measureOverlap},
     {"step", stepFault, measureStep}}};

const PointKind* pointKindOf(const Point& point) {
    for (const PointKind& kind : kPointKinds) {
        if (point.what == kind.what) {
            return &kind;
        }
    }
    return nullptr;
}

std::string faultOf(const Point& point, const RankGroup& group) {
    if (isCollective(point)) {
        return collectiveFault(point, group);
    }
    const PointKind* const kind = pointKindOf(point);
    return kind != nullptr
               ? kind->fault(point, group)
               : "no '" + point.what +
                     "' over MPI: all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, "
                     "send_recv, gemm, attention, memory, adam, overlap, step";
}

Measurement measureIn(Wire& wire, const RankGroup& group, const Point& point) {
    return isCollective(point) ? measureCollective(wire, group, point)
                               : pointKindOf(point)->measure(wire, group, point);
}

}  // namespace

Measurement measurePoint(Wire& wire, const Point& point) {
    const Answer<RankGroup> group = groupOf(point, wire);
    const std::string fault = group ? faultOf(point, *group) : group.trouble().why;
    if (!fault.empty()) {
        Measurement refused{.point = point};
        refused.refused = fault;
        return refused;
    }
    return group->isMember() ? measureIn(wire, *group, point) : Measurement{.point = point};
}

}  // namespace fabricast::probe
