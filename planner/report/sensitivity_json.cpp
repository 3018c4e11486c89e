#include "planner/report/answer_json.h"
#include "planner/result/memory_names.h"

namespace fabricast {

namespace {

void addOutcome(JsonText& json, const Outcome& outcome) {
    json.add("step_s", outcome.step.count());
    json.add("tokens_per_s_gpu", outcome.tokensPerGpuSecond);
    json.add("peak_bytes", outcome.peak);
    json.add("verdict", nameOf(outcome.verdict));
}

void addKnob(JsonText& json, const KnobEffect& knob, const Sensitivity& sensitivity) {
    json.beginObject();
    json.add("knob", knob.key);
    json.add("title", knob.title);
    if (knob.elasticity) {
        json.add("elasticity", *knob.elasticity);
    } else {
        json.addNull("elasticity", "not continuous: it changes what fits, or the workload");
    }
    if (knob.twice) {
        json.beginObject("twice");
        addOutcome(json, *knob.twice);
        json.end();
    } else {
        json.addNull("twice", knob.whyNot);
    }
    if (knob.searched) {
        json.beginObject("searched");
        addOutcome(json, *knob.searched);
        json.add("layout", knob.searchedLayout);
        json.add("cut_short", knob.isCut);
        json.end();
    } else if (sensitivity.isSearched) {
        json.addNull("searched",
                     sensitivity.notSearched.empty()
                         ? "no layout fits, or the search does not depend on it"
                         : sensitivity.notSearched);
    }
    json.end();
}

}  // namespace

void writeSensitivity(JsonText& json, const Sensitivity& sensitivity) {
    json.beginObject("sensitivity");
    json.beginObject("now");
    addOutcome(json, sensitivity.now);
    json.end();
    json.beginArray("knobs");
    for (const KnobEffect& knob : sensitivity.knobs) {
        addKnob(json, knob, sensitivity);
    }
    json.end();
    json.end();
}

}  // namespace fabricast
