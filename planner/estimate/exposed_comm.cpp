#include "planner/estimate/exposed_comm.h"

#include <algorithm>

namespace fabricast {

namespace {

/// Tensor parallelism: cut into slices beside the products, or beside gradients of weights, or
/// waited for.
void exposeTensor(const Scenario& scenario,
                  const SoftwareTiming& software,
                  const CommSeconds& comm,
                  const WorkBeside& work,
                  CommSeconds& exposed) {
    double hidden = 0.0;
    if (scenario.settings.megatron.tensorOverlap) {
        hidden = comm.tensor * (1.0 - software.tensorExposed);
    } else if (work.way == Way::Backward && comm.regather > 0) {
        // A part of backward's transfers, and the inputs' gathers, run beside weight gradients.
        hidden = std::min(software.backwardHidden * comm.tensor, work.weight);
    }
    exposed.tensor = comm.tensor - hidden + software.contention * hidden;
    exposed.regather = software.contention * comm.regather;
    exposed.other = comm.other;
}

/// What is left to wait for of transfers that run beside the layers before their own.
double exposedLayers(double transfer, double beside, double layers) {
    if (layers <= 0) {
        return transfer;
    }
    const double left = std::max(0.0, transfer - beside * (layers - 1) / layers);
    return std::max(left, transfer / layers);
}

void exposeShards(const SoftwareTiming& software,
                  const CommSeconds& comm,
                  const WorkBeside& work,
                  double beside,
                  CommSeconds& exposed) {
    const double transfer = comm.blockGather + comm.blockReduce;
    exposed.endGather = work.way == Way::Forward ? comm.endGather : 0.0;
    exposed.endReduce = work.way == Way::Forward ? 0.0 : comm.endReduce;
    const double waited = exposedLayers(transfer, beside, work.layers);
    const double ends = exposed.endGather + exposed.endReduce;
    const double hidden = std::max(0.0, transfer - waited - ends);
    const double cost = waited + software.contention * hidden;
    if (transfer > 0) {
        exposed.blockGather = cost * comm.blockGather / transfer;
        exposed.blockReduce = cost * comm.blockReduce / transfer;
    }
}

}  // namespace

CommSeconds exposedComm(const Scenario& scenario,
                        const SoftwareTiming& software,
                        const CommSeconds& comm,
                        const WorkBeside& work) {
    CommSeconds exposed;
    exposeTensor(scenario, software, comm, work, exposed);
    const bool ring = scenario.layout.cpKind == CpKind::Ring;
    exposed.context = ring ? std::max(software.ringExposed * comm.context,
                                      comm.context - software.ringHidden * work.attention)
                           : comm.context;
    exposed.expert =
        comm.expert * (scenario.settings.megatron.expertOverlap ? software.tensorExposed : 1.0);
    const double beside = work.device + exposed.tensor + exposed.regather + exposed.other +
                          exposed.context + exposed.expert;
    exposeShards(software, comm, work, beside, exposed);
    return exposed;
}

}  // namespace fabricast
