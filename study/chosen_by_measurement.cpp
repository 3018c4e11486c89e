#include "study/chosen_by_measurement.h"

#include "planner/load/measured_notes.h"
#include "study/own_measurements.h"
#include "study/typed_plan.h"

#include <algorithm>
#include <utility>

namespace fabricast {

std::vector<std::string> typedPlans(const PlanReport& report) {
    std::vector<std::string> all;
    for (const Plan& plan : report.plans.empty() ? report.misses : report.plans) {
        all.push_back(typedPlan(plan));
    }
    return all;
}

Result<std::vector<std::string>> choosingMeasurements(SearchRequest request,
                                                      const std::vector<std::string>& found,
                                                      const std::vector<std::string>& known,
                                                      std::size_t most,
                                                      const Workbench& bench,
                                                      const Watch& watch) {
    std::vector<std::string> notes;
    FABRICAST_ASSIGN(const TimingProfiles* timing, bench.timing());
    const Premises now{request.task.base, *timing};
    FABRICAST_ASSIGN(const std::vector<OwnMeasurement> own,
                     ownMeasurementsOf(now.scenario.cluster.node, bench));
    request.options.onPlan = {};
    std::string left;
    for (const OwnMeasurement& one : own) {
        const bool isNamed = std::ranges::any_of(
            known, [&](const std::string& note) { return note.starts_with(one.note); });
        if (isNamed) {
            continue;
        }
        if (most == 0) {
            left += (left.empty() ? "" : ", ") + one.note.substr(kMeasuredNote.size());
            continue;
        }
        --most;
        const Premises without = one.without(now);
        request.task.base = without.scenario;
        const Result<PlanReport> other = searched(request, without.timing, {.stop = watch.stop});
        if (!other && other.error().code == Error::Code::Stopped) {
            return notes;
        }
        if (!other || typedPlans(*other) != found) {
            notes.push_back(one.note);
        }
    }
    if (!left.empty()) {
        notes.push_back("not searched again without these measurements of yours: " + left);
    }
    return notes;
}

}  // namespace fabricast
