#include "planner/report/answer_json.h"
#include "planner/result/answer_names.h"

#include <cmath>
#include <string>

namespace fabricast {
namespace {

/// What the sums of a step leave over is nothing.
double withoutRounding(double seconds, Seconds step) {
    constexpr double kRounding = 1e-9;
    return std::abs(seconds) < kRounding * step.count() ? 0.0 : seconds;
}

void writeOuter(JsonText& json, const OuterStep& outer) {
    json.beginObject("outer");
    json.add("steps", outer.steps);
    json.add("parameters", outer.parameters);
    json.add("sent", outer.sent);
    json.add("exchange_s", outer.exchange);
    json.add("update_s", outer.update);
    json.add("inner_step_s", outer.inner);
    json.add("exposed_s", outer.exposedExchange + outer.exposedUpdate);
    json.end();
}

}  // namespace

void writeFaster(JsonText& json, const FasterChange& faster) {
    json.beginObject("faster");
    json.add("set", faster.set);
    writeHeadline(json, "step_s", faster.step);
    json.add("verdict", nameOf(faster.verdict));
    json.end();
}

void writeTime(JsonText& json, const StepEstimate& step, const FasterChange* faster) {
    json.beginObject("time");
    writeHeadline(json, "step_s", step.step);
    json.add("tokens_per_s", step.tokensPerSecond);
    json.add("tokens_per_s_gpu", step.tokensPerGpuSecond);
    const Utilisation& use = step.utilisation;
    if (use.mfu) {
        json.add("mfu", *use.mfu);
        json.add("mfu_convention", "matmul");
        json.add("flops_per_token", use.perToken.count());
        json.add("peak_flops_per_s", use.peak.count());
        json.add("peak_dtype", use.peakType);
    } else {
        json.addNull("mfu", use.why);
    }
    json.add("stage", step.slowest);
    json.add("micro_batches", step.terms.microBatches);
    json.beginObject("parts");
    for (const auto& [part, name] : namesOf(TimePart{})) {
        json.add(std::string(name) + "_s", withoutRounding(step.parts.of(part), step.step.value));
    }
    json.end();
    if (step.outer) {
        writeOuter(json, *step.outer);
    }
    if (faster != nullptr) {
        writeFaster(json, *faster);
    }
    json.end();
}

void writeComm(JsonText& json, const ClusterSpec& cluster, const StepEstimate& step) {
    json.beginArray("comm");
    for (const CommLine& line : step.comm) {
        json.beginObject();
        json.add("axis", line.axis);
        json.add("use", line.use);
        json.add("fabric", fabricOf(cluster, line));
        json.add("between_nodes", line.betweenNodes);
        if (line.sites > 1) {
            json.add("sites", line.sites);
        }
        json.add("collective", line.collective);
        json.add("group_size", line.groupSize);
        json.add("bytes", line.bytes);
        json.add("count", line.count);
        if (line.every > 1) {
            json.add("every", line.every);
        }
        json.add("seconds", line.seconds);
        json.add("exposed_seconds", line.exposed);
        json.add("part", nameOf(line.part));
        json.add("stage", line.stage);
        json.end();
    }
    json.end();
}

}  // namespace fabricast
