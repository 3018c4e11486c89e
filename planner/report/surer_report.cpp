#include "planner/report/surer_report.h"

#include "planner/report/answer_json.h"
#include "planner/report/plan_views.h"
#include "planner/report/scales.h"

#include <fmt/format.h>

namespace fabricast {

std::string surerLine(const std::optional<SurerChange>& surer) {
    if (!surer) {
        return {};
    }
    return fmt::format("surer: {}: {} {}\n", surer->set, surer->plan, surerEffect(*surer));
}

std::string surerEffect(const SurerChange& surer) {
    const double seconds = surer.step.value.count();
    return fmt::format("surely fits in GPU memory alone, {} of {} GiB, {} a step",
                       gibText(surer.peak),
                       gibText(surer.capacity),
                       timeScaleFor(seconds).withUnit(seconds));
}

void writeSurer(JsonText& json, const std::optional<SurerChange>& surer) {
    if (!surer) {
        return;
    }
    json.beginObject("surer");
    json.add("set", surer->set);
    json.add("plan", surer->plan);
    writeHeadline(json, "step_s", surer->step);
    json.add("peak_bytes", surer->peak.count());
    json.add("capacity_bytes", surer->capacity.count());
    json.end();
}

}  // namespace fabricast
