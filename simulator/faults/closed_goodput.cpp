#include "planner/budget/goodput.h"
#include "simulator/faults/run_plan.h"

namespace fabricast {
namespace {

/// Failures of which these are a share occur less often by that share.
Seconds mtbfOf(const RunFailures& failures, double share) {
    return share > 0.0 ? Seconds(failures.mtbf.count() / share)
                       : Seconds(std::numeric_limits<double>::infinity());
}

}  // namespace

double closedGoodput(const RunPlan& plan, Seconds step) {
    const RunSaving& saving = plan.saving;
    const RunFailures& failures = plan.failures;
    const Seconds back = failures.detection + failures.restart;
    const Seconds interval = static_cast<double>(saving.every) * step;
    if (!saving.inMemory) {
        return cycleGoodput({.interval = interval,
                             .blocking = saving.blocking,
                             .recovery = back + failures.load + saving.lag,
                             .mtbf = failures.mtbf});
    }
    const double local = failures.oneHostShare;
    const double memory = cycleGoodput({.interval = interval,
                                        .blocking = saving.blocking,
                                        .recovery = back,
                                        .mtbf = mtbfOf(failures, local)});
    const double storage =
        cycleGoodput({.interval = static_cast<double>(saving.storedEvery) * interval,
                      .blocking = Seconds(),
                      .recovery = back + failures.load + saving.lag,
                      .mtbf = mtbfOf(failures, 1.0 - local)});
    return memory * storage;
}

}  // namespace fabricast
