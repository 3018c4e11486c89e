#include "planner/report/begin_answer.h"
#include "planner/report/model_report.h"
#include "planner/text/json_text.h"

#include <utility>

namespace fabricast {
namespace {

void addShape(JsonText& json, const ModelSpec& model) {
    json.beginObject("model");
    json.add("name", model.name);
    json.add("family", model.family);
    json.add("layers", model.layers);
    json.add("hidden", model.hidden);
    json.add("vocab", model.vocab);
    json.add("heads", model.attention.heads);
    json.add("kv_heads", model.attention.kvHeads);
    json.add("experts", model.moe ? model.moe->experts : 0);
    json.add("experts_per_token", model.moe ? model.moe->topK : 0);
    json.end();
}

void addParameters(JsonText& json, const ModelFacts& facts) {
    json.beginObject("parameters");
    json.add("total", facts.count.total);
    json.add("active", facts.count.active);
    for (const PartFact& part : facts.parts) {
        json.add(part.key, part.parameters);
    }
    if (facts.published) {
        json.add("published", *facts.published);
        json.add("published_source", facts.publishedSource);
    }
    json.end();
}

void addFlops(JsonText& json, const ModelFacts& facts) {
    json.add("sequence", facts.sequence);
    json.beginArray("flops_per_token");
    for (const FlopsFact& fact : facts.flops) {
        json.beginObject();
        json.add("convention", fact.convention);
        if (fact.perToken) {
            json.add("flops", fact.perToken->count());
        } else {
            json.addNull("flops", fact.why);
        }
        json.add("formula", fact.formula);
        json.end();
    }
    json.end();
}

}  // namespace

std::string modelJson(const ModelFacts& facts, std::string_view version) {
    JsonText json;
    beginAnswer(json, "fabricast.model_facts/1", version);
    addShape(json, facts.model);
    addParameters(json, facts);
    addFlops(json, facts);
    json.end();
    return std::move(json).finish();
}

}  // namespace fabricast
