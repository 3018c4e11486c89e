#include "planner/backtest/run_catalog.h"
#include "planner/backtest/run_readings.h"
#include "planner/ops/parameters.h"
#include "planner/profiles/model_spelling.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace fabricast {

namespace {

Result<void> requireShape(const PublishedRun& run) {
    const std::pair<const char*, const std::optional<std::int64_t>*> needed[] = {
        {"layers", &run.layers},
        {"hidden", &run.hidden},
        {"ffn", &run.width},
        {"heads", &run.heads}};
    for (const auto& [column, value] : needed) {
        if (!value->has_value() || **value <= 0) {
            return fail(Error::Code::BadInput, column, "the cell is empty");
        }
        if (**value > 10'000'000) {
            return fail(Error::Code::BadInput, column, "larger than any model");
        }
    }
    return {};
}

bool hasShape(const PublishedRun& run) {
    return run.layers || run.hidden || run.width || run.heads;
}

bool sameShape(const ModelSpec& model, const PublishedRun& run) {
    const std::int64_t experts = numberAfter(run.experts, "experts=");
    const bool sparse = experts > 0;
    if (model.hidden != *run.hidden || model.attention.heads != *run.heads ||
        sparse != model.moe.has_value()) {
        return false;
    }
    if (sparse) {
        return model.moe->experts == experts &&
               model.moe->expertWidth == numberAfter(run.experts, "ffn=");
    }
    return model.mlp.width == *run.width;
}

/// How unlike the rest is, where several models have the shape: smaller is nearer.
int distance(const ModelSpec& model, const PublishedRun& run) {
    int apart = 0;
    apart += run.kvHeads && model.attention.kvHeads != *run.kvHeads ? 8 : 0;
    apart += run.vocab && model.vocab != *run.vocab ? 4 : 0;
    apart += model.layers != *run.layers ? 2 : 0;
    const std::string_view family = std::string_view(model.name).substr(0, 3);
    apart += mentions(run.model, family) ? 0 : 1;
    return apart;
}

/// Truncated or extended to this many layers. The first ones keep their kind, but a truncated model
/// keeps no more than its share of dense layers, and one of them.
void setLayers(ModelSpec& model, std::int64_t layers) {
    const auto count = static_cast<std::size_t>(layers);
    if (!model.sparse.empty()) {
        const auto first = std::find(model.sparse.begin(), model.sparse.end(), true);
        const auto dense = first - model.sparse.begin();
        if (dense > 1 && first != model.sparse.end() && layers < model.layers) {
            const auto kept = std::max<std::int64_t>(1, dense * layers / model.layers);
            model.sparse.erase(model.sparse.begin(), first - kept);
        }
        model.sparse.resize(count, model.sparse.back());
    }
    if (!model.window.empty()) {
        const std::vector<std::int64_t> pattern = model.window;
        model.window.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            model.window[i] = pattern[i % pattern.size()];
        }
    }
    model.layers = layers;
}

/// A built-in model with what the columns say otherwise.
ModelSpec withColumns(ModelSpec model, const PublishedRun& run) {
    model.name = run.model;
    if (model.layers != *run.layers) {
        setLayers(model, *run.layers);
    }
    if (run.kvHeads && model.attention.kind == AttentionKind::Grouped) {
        model.attention.kvHeads = *run.kvHeads;
    }
    if (run.vocab.value_or(0) > 0) {
        model.vocab = *run.vocab;
    }
    if (model.position == PositionKind::Learned) {  // a table has a row for each token
        model.learnedPositions = std::max(model.learnedPositions, run.sequence.value_or(0));
    }
    return model;
}

void readExperts(const PublishedRun& run, ModelSpec& model) {
    MoeSpec moe;
    moe.experts = numberAfter(run.experts, "experts=");
    if (moe.experts == 0) {
        return;
    }
    moe.topK = std::max<std::int64_t>(1, numberAfter(run.experts, "topk="));
    moe.expertWidth = numberAfter(run.experts, "ffn=");
    moe.sharedWidth = numberAfter(run.experts, "shared=") * moe.expertWidth;
    const std::int64_t every = std::max<std::int64_t>(1, numberAfter(run.experts, "moe_every="));
    const std::int64_t dense = numberAfter(run.experts, "first_dense=");
    model.sparse.assign(static_cast<std::size_t>(model.layers), false);
    for (std::int64_t i = dense; i < model.layers; ++i) {
        model.sparse[static_cast<std::size_t>(i)] = (i + 1) % every == 0;
    }
    if (const std::int64_t width = numberAfter(run.experts, "dense_ffn="); width > 0) {
        model.mlp.width = width;
    }
    model.moe = moe;
    if (run.experts.find("MLA") != std::string::npos) {  // of DeepSeek-V2 and V3
        AttentionSpec& attention = model.attention;
        attention.kind = AttentionKind::Latent;
        attention.qLoraRank = 1536;
        attention.kvLoraRank = 512;
        attention.qkNopeDim = attention.vHeadDim = attention.headDim = 128;
        attention.qkRopeDim = 64;
    }
}

/// A model of these columns with SwiGLU and RMSNorm, as Llama has them.
ModelSpec gatedModel(const PublishedRun& run) {
    ModelSpec model;
    model.family = "llama";
    model.layers = *run.layers;
    model.hidden = *run.hidden;
    model.vocab = run.vocab.value_or(0) > 0 ? *run.vocab : 50257;
    model.mlp.width = *run.width;
    model.attention.heads = *run.heads;
    model.attention.kvHeads = run.kvHeads.value_or(*run.heads);
    model.attention.headDim = std::max<std::int64_t>(1, model.hidden / model.attention.heads);
    readExperts(run, model);
    return model;
}

/// The same with two matrices in the MLP, as GPT-3 has them.
ModelSpec plainModel(const PublishedRun& run) {
    ModelSpec model = gatedModel(run);
    model.family = "gpt";
    model.norm = NormKind::Layer;
    model.mlp.kind = MlpKind::Plain;
    model.mlp.bias = model.attention.qkvBias = model.attention.outBias = true;
    model.position = PositionKind::Learned;
    model.learnedPositions = run.sequence.value_or(2048);
    model.tiedEmbeddings = true;
    return model;
}

double missOfSize(const ModelSpec& model, const PublishedRun& run) {
    return std::abs(static_cast<double>(countParameters(model).total) - *run.billions * 1e9);
}

/// SwiGLU has three matrices, GELU two: the stated size decides.
ModelSpec fromColumns(const PublishedRun& run) {
    ModelSpec gated = gatedModel(run);
    ModelSpec plain = plainModel(run);
    const bool isGated =
        gated.moe || (run.billions ? missOfSize(gated, run) < missOfSize(plain, run)
                                   : !mentions(run.model, "gpt"));
    return isGated ? gated : plain;
}

/// Whether the stated size is nearer to the model than to one with another kind of MLP.
bool sameKind(const ModelSpec& model, const PublishedRun& run) {
    if (model.moe || !run.billions) {
        return true;
    }
    const bool isGated = model.mlp.kind == MlpKind::Gated;
    return missOfSize(withColumns(model, run), run) <=
           missOfSize(isGated ? plainModel(run) : gatedModel(run), run);
}

}  // namespace

/// A row that gives no shape at all: the model of its name.
Result<ModelSpec> RunCatalog::namedModel(const PublishedRun& run) const {
    const auto named = std::ranges::find(models_, modelStem(run.model), [](const ModelSpec& model) {
        return modelStem(model.name);
    });
    if (named == models_.end()) {
        return fail(Error::Code::BadInput,
                    "model",
                    "\"" + run.model + "\" is not a built-in model, and layers, hidden, ffn and " +
                        "heads are empty",
                    "fabricast profiles list --kind model, or fill these columns");
    }
    ModelSpec model = *named;
    model.mtpDepth = 0;
    return model;
}

Result<ModelSpec> RunCatalog::modelOf(const PublishedRun& run) const {
    if (!hasShape(run)) {
        return namedModel(run);
    }
    FABRICAST_TRY(requireShape(run));
    const ModelSpec* nearest = nullptr;
    for (const ModelSpec& model : models_) {
        if (sameShape(model, run) && sameKind(model, run) &&
            (nearest == nullptr || distance(model, run) < distance(*nearest, run))) {
            nearest = &model;
        }
    }
    if (nearest == nullptr) {
        ModelSpec model = fromColumns(run);
        model.name = run.model;
        return model;
    }
    ModelSpec model = withColumns(*nearest, run);
    const bool predicts =
        mentions(run.model, "w/ mtp") || numberAfter(run.notes, "mtp_num_layers=") > 0;
    model.mtpDepth = predicts ? std::max<std::int64_t>(model.mtpDepth, 1) : 0;
    return model;
}

}  // namespace fabricast
