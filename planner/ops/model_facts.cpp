#include "planner/ops/model_facts.h"

#include "planner/ops/flops.h"

#include <utility>

namespace fabricast {
namespace {

std::vector<PartFact> partsOf(const ParameterCount& count) {
    return {{"embedding", count.embedding},
            {"position", count.position},
            {"projection", count.projection},
            {"attention", count.attention},
            {"norm", count.norm},
            {"mlp", count.mlp},
            {"router", count.router},
            {"routed_experts", count.routedExperts},
            {"shared_experts", count.sharedExperts},
            {"head", count.head},
            {"mtp", count.mtp, false},
            {"buffers", count.buffers, false}};
}

std::vector<FlopsFact> flopsOf(const ModelSpec& model, std::int64_t sequence) {
    std::vector<FlopsFact> facts;
    for (const FlopsConventionText& text : flopsConventions()) {
        FlopsFact fact{text.name, text.formula, {}, {}};
        if (Result<Flops> flops = flopsPerToken(model, sequence, text.convention)) {
            fact.perToken = *flops;
        } else {
            fact.why = flops.error().why;
        }
        facts.push_back(std::move(fact));
    }
    return facts;
}

}  // namespace

ModelFacts modelFacts(const ModelSpec& model, std::int64_t sequence) {
    ModelFacts facts;
    facts.model = model;
    facts.count = countParameters(model);
    facts.parts = partsOf(facts.count);
    facts.sequence = sequence;
    facts.flops = flopsOf(model, sequence);
    return facts;
}

}  // namespace fabricast
