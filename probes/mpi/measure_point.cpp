#include "probes/mpi/measure_point.h"

#include "probes/mpi/collective_points.h"
#include "probes/mpi/compute_points.h"
#include "probes/mpi/step_points.h"

namespace fabricast::probe {

namespace {

std::string faultOf(const Point& point, const RankGroup& group) {
    if (isCollective(point)) {
        return collectiveFault(point, group);
    }
    if (point.what == "gemm") {
        return gemmFault(point);
    }
    if (point.what == "memory") {
        return memoryFault(point);
    }
    if (point.what == "adam") {
        return adamFault(point);
    }
    if (point.what == "step") {
        return stepFault(point, group);
    }
    return "no '" + point.what +
           "' over MPI: all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, send_recv, "
           "gemm, memory, adam, step";
}

Measurement measureIn(Wire& wire, const RankGroup& group, const Point& point) {
    if (isCollective(point)) {
        return measureCollective(wire, group, point);
    }
    if (point.what == "gemm") {
        return measureGemm(wire, group, point);
    }
    if (point.what == "memory") {
        return measureMemory(wire, group, point);
    }
    return point.what == "adam" ? measureAdam(wire, group, point) : measureStep(wire, group, point);
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
