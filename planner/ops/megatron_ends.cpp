#include "planner/ops/megatron_ends.h"

#include "planner/ops/dense_layer.h"
#include "planner/ops/megatron_vocab.h"

namespace fabricast {

namespace {

std::int64_t roundUp(std::int64_t value, std::int64_t step) {
    return (value + step - 1) / step * step;
}

}  // namespace

bool isMegatronCode(const Scenario& scenario) {
    const ModelCode code = scenario.settings.kernels.code;
    return code == ModelCode::Megatron || code == ModelCode::TransformerEngine;
}

std::int64_t megatronLocalVocab(const Scenario& scenario) {
    const std::int64_t tp = scenario.layout.tp;
    return roundUp(scenario.model.vocab, scenario.settings.megatron.vocabPadding * tp) / tp;
}

OpList megatronEmbedding(const Scenario& scenario) {
    OpBuilder g(builderOptions(scenario));
    MegatronCode m = megatronCode(g, scenario);
    return g.finish(embedTokens(m, {.table = tokenTable(m, false)}));
}

OpList megatronFinalNorm(const Scenario& scenario) {
    OpBuilder g(builderOptions(scenario));
    MegatronCode m = megatronCode(g, scenario);
    const TensorId x =
        g.input(m.shape.localTokens * scenario.model.hidden, residualWidth(scenario.settings));
    return g.finish(megatronNorm(m, x, "final_layernorm"));
}

OpList megatronHead(const Scenario& scenario) {
    OpBuilder g(builderOptions(scenario));
    MegatronCode m = megatronCode(g, scenario);
    const TensorId x =
        g.input(m.shape.localTokens * scenario.model.hidden, residualWidth(scenario.settings));
    const std::int64_t rows = megatronLocalVocab(scenario);
    return g.finish(columnParallel(m, x, outputWeight(m), rows));
}

OpList megatronLoss(const Scenario& scenario) {
    OpBuilder g(builderOptions(scenario));
    MegatronCode m = megatronCode(g, scenario);
    const TensorId logits = g.input(m.shape.tokens * megatronLocalVocab(scenario),
                                    bytesPerElement(scenario.settings.precision.compute));
    return g.finish(vocabParallelLoss(m, logits));
}

}  // namespace fabricast
