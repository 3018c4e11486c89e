#include "planner/ops/trained_weights.h"

#include "planner/ops/dense_layer.h"
#include "planner/ops/lora_linear.h"
#include "planner/ops/megatron_vocab.h"

#include <algorithm>

namespace fabricast {

namespace {

using Kind = TrainedPart::Kind;

/// Norms inside attention count too: the q and k norms of Qwen3.
bool isNorm(const Parameter& weight) {
    return weight.part == Part::Norm || weight.name.find("norm") != std::string::npos;
}

std::int64_t trainedOf(const Scenario& scenario,
                       const std::vector<Parameter>& weights,
                       std::int64_t layer) {
    std::int64_t sum = 0;
    for (const Parameter& weight : weights) {
        const bool counts = !weight.buffer && trainsWeight(scenario, weight, layer);
        sum += counts ? weight.elements() : 0;
    }
    return sum;
}

}  // namespace

bool trainsWeight(const Scenario& scenario, const Parameter& weight, std::int64_t layer) {
    const bool isTable = weight.part == Part::Embedding || weight.part == Part::Position;
    switch (scenario.settings.train.kind) {
        case Kind::All:
            return true;
        case Kind::Last:
            return !isTable && layer >= firstTrainedLayer(scenario);
        case Kind::Norms:
            return isNorm(weight);
        case Kind::NoEmbedding:
            return !isTable;
    }
    return true;
}

bool trainsHead(const Scenario& scenario) {
    const Kind kind = scenario.settings.train.kind;
    return kind == Kind::All || (kind != Kind::Norms && !scenario.model.tiedEmbeddings);
}

std::int64_t firstTrainedLayer(const Scenario& scenario) {
    const TrainedPart& train = scenario.settings.train;
    return train.kind == Kind::Last ? scenario.model.layers - train.layers : 0;
}

std::int64_t elementsTrained(const Scenario& scenario) {
    const ModelSpec& model = scenario.model;
    std::int64_t sum = trainedOf(scenario, embeddingParameters(model), 0) +
                       trainedOf(scenario, headParameters(model), model.layers);
    for (std::int64_t layer = 0; layer < model.layers; ++layer) {
        sum += trainedOf(scenario, layerParameters(model, layer), layer);
    }
    return sum;
}

/// Forward, input gradients and weight gradients are a third each.
double trainedShare(const Scenario& scenario, double perToken) {
    const ModelSpec& model = scenario.model;
    const double forward = perToken / 3;
    const double head = 2.0 * static_cast<double>(model.vocab) * static_cast<double>(model.hidden);
    if (scenario.settings.tuning == Tuning::Lora) {  // adapters' own products do not count
        const bool trains = trainsCopy(scenario.settings, "lm_head");
        return (2 * forward + (trains ? head : 0.0)) / perToken;
    }
    if (scenario.settings.train.all()) {
        return 1.0;
    }
    const double layer = (forward - head) / static_cast<double>(model.layers);
    const double reached = static_cast<double>(model.layers - firstTrainedLayer(scenario)) * layer;
    const bool products = scenario.settings.train.kind != Kind::Norms;
    const double weights = (products ? reached : 0.0) + (trainsHead(scenario) ? head : 0.0);
    return (forward + reached + head + weights) / perToken;
}

/// transformers' enable_input_require_grads, which checkpointing turns on, and Bridge's
/// maybe_enable_recompute_inputs_grad, which looks for a recompute_method.
bool asksForInputGradient(const Scenario& scenario) {
    const Checkpointing kind = scenario.settings.recompute.kind;
    if (isMegatronCode(scenario)) {
        return kind == Checkpointing::Full || kind == Checkpointing::Block;
    }
    return kind != Checkpointing::None && scenario.settings.kernels.code == ModelCode::HuggingFace;
}

/// Before the first trained weight nothing asks for a gradient.
OpBuilder::Options layerOptions(const Scenario& scenario, std::int64_t layer) {
    OpBuilder::Options options = builderOptions(scenario);
    const std::int64_t first = firstTrainedLayer(scenario);
    const Kind kind = scenario.settings.train.kind;
    const bool frozenTable =
        (options.frozen && !trainsCopy(scenario.settings, "embed_tokens")) || kind != Kind::All;
    options.frozenInput = frozenTable && layer <= first && !asksForInputGradient(scenario);
    options.frozen = options.frozen || layer < first || kind == Kind::Norms;
    options.trainsNorms = kind == Kind::Norms;
    return options;
}

OpBuilder::Options embeddingOptions(const Scenario& scenario) {
    OpBuilder::Options options = builderOptions(scenario);
    options.frozen = options.frozen || scenario.settings.train.kind != Kind::All;
    return options;
}

OpBuilder::Options headOptions(const Scenario& scenario) {
    OpBuilder::Options options = builderOptions(scenario);
    options.frozen = options.frozen || !trainsHead(scenario);
    return options;
}

}  // namespace fabricast
