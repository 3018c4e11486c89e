#include "simulator/report/simulation_report.h"

#include <cmath>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

void addSpread(JsonText& json, std::string_view key, const RunSpread& spread, std::int64_t runs) {
    json.beginObject(key);
    json.add("mean", spread.mean);
    json.add("sd", spread.sd);
    json.add("standard_error", spread.sd / std::sqrt(static_cast<double>(runs)));
    json.add("p5", spread.p5);
    json.add("p50", spread.p50);
    json.add("p95", spread.p95);
    json.end();
}

void addTimes(JsonText& json, const RunTimes& mean) {
    json.beginObject("time_s");
    json.add("useful", mean.useful.count());
    json.add("slower", mean.slower.count());
    json.add("checkpoint", mean.saving.count());
    json.add("lost", mean.lost.count());
    json.add("recovery", mean.recovery.count());
    json.add("waiting", mean.waiting.count());
    json.end();
}

void addFailures(JsonText& json, const RunFailures& failures) {
    json.beginObject("failing");
    if (std::isinf(failures.mtbf.count())) {
        json.addNull("mtbf_s", "no failures");
    } else {
        json.add("mtbf_s", failures.mtbf.count());
    }
    json.add("detection_s", failures.detection.count());
    json.add("restart_s", failures.restart.count());
    json.add("load_s", failures.load.count());
    json.add("one_host_share", failures.oneHostShare);
    json.add("hardware_share", failures.hardwareShare);
    json.add("repair_s", failures.repair.count());
    if (failures.spares) {
        json.add("spares", *failures.spares);
    } else {
        json.addNull("spares", "unlimited");
    }
    json.end();
}

void addSaving(JsonText& json, const RunAnswer& run) {
    const RunSaving& saving = run.study.plan.saving;
    json.beginObject("checkpoint");
    json.add("mode", nameOf(run.checkpoint));
    json.add("every_steps", saving.every);
    json.add("blocking_s", saving.blocking.count());
    json.add("stored_every", saving.storedEvery);
    json.add("stored_after_s", saving.lag.count());
    json.end();
}

/// Jitter and slow spells.
void addSlower(JsonText& json, const RunAnswer& run) {
    json.add("jitter", run.jitter);
    json.beginArray("jitter_groups");
    for (const JitterGroup& group : run.study.plan.jitter) {
        json.beginObject();
        json.add("ranks", group.ranks);
        json.add("spread_s", group.spread.count());
        json.end();
    }
    json.end();
    if (const std::optional<SlowSpells>& spells = run.study.plan.spells) {
        json.beginObject("slow_spells");
        json.add("every_s", spells->every.count());
        json.add("last_s", spells->last.count());
        json.add("factor", spells->factor);
        json.end();
    }
}

}  // namespace

void writeRun(JsonText& json, const RunAnswer& run) {
    const RunStudy& study = run.study;
    json.beginObject("run");
    json.add("steps", study.plan.steps);
    json.add("step_s", study.plan.step.count());
    json.add("seed", std::to_string(study.seed));
    json.add("runs", study.runs);
    json.add("runs_asked", study.asked);
    addSpread(json, "goodput", study.goodput, study.runs);
    addSpread(json, "wall_s", study.wall, study.runs);
    addSpread(json, "failures", study.failures, study.runs);
    addTimes(json, study.mean);
    json.beginObject("closed_form");
    json.add("goodput", study.closedGoodput());
    json.add("wall_s", study.closedWall().count());
    json.add("standard_errors_off", study.errorsOff());
    json.end();
    addSaving(json, run);
    addFailures(json, study.plan.failures);
    addSlower(json, run);
    json.add("site", run.site);
    json.end();
}

}  // namespace fabricast
