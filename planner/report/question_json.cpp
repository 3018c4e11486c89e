#include "planner/report/question_json.h"

#include "planner/text/copy_json.h"

namespace fabricast {

void writeQuestion(JsonText& json, const Scenario& question) {
    json.beginObject("scenario");
    json.add("model", question.model.name);
    json.beginObject("cluster");
    json.add("name", question.cluster.name);
    json.add("gpus", question.cluster.gpus());
    json.end();
    json.beginObject("workload");
    json.add("sequence", question.workload.sequence);
    json.add("global_batch", question.workload.globalBatch);
    json.end();
    json.end();
}

void writeAsked(JsonText& json, const JsonValue* asked) {
    if (asked != nullptr) {
        copyJson(json, "asked", *asked);
    }
}

}  // namespace fabricast
