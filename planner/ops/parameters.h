#pragma once
#include "planner/spec/model_spec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricast {

enum class Part {
    Embedding,
    Position,
    Projection,  ///< between the width of the tables and `hidden` (OPT-350M)
    Attention,   ///< with its qk-norms, latent norms and sinks
    Norm,
    Mlp,
    Router,
    RoutedExperts,
    SharedExperts,
    Head,
    Mtp  ///< joins the two inputs of a multi-token-prediction layer; its layer keeps its own parts
};
/// How tensor and expert parallelism split a weight [rows = out features, cols = in features].
enum class Split { Replicated, Column, Row, Vocab, Expert };

/// One weight tensor of the model, whole. A vector has cols 0.
struct Parameter {
    std::string name;  ///< "q_proj", "input_layernorm", "experts.gate_proj"
    Part part = Part::Mlp;
    Split split = Split::Replicated;
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::int64_t copies = 1;  ///< experts: number of identical ones
    bool buffer = false;      ///< in the checkpoint, not trained, not in the total

    [[nodiscard]] std::int64_t elements() const { return copies * rows * (cols == 0 ? 1 : cols); }
    [[nodiscard]] bool isMatrix() const { return cols != 0; }
};

/// This is the one list of weights that every count of parameters, states and saved bytes reads.
/// Order within a layer is the order in which the model's own code registers them.
std::vector<Parameter> embeddingParameters(const ModelSpec& model);
std::vector<Parameter> layerParameters(const ModelSpec& model, std::int64_t layer);
std::vector<Parameter> headParameters(
    const ModelSpec& model);  ///< final norm, projections, head if not tied
std::vector<Parameter> mtpParameters(
    const ModelSpec& model);  ///< of one MTP layer, without shared embedding and head

struct ParameterCount {
    std::int64_t total = 0;      ///< as the hub counts: without MTP and buffers
    std::int64_t active = 0;     ///< per token: top-k of the routed experts
    std::int64_t embedding = 0;  ///< the token table (and its tied or untied head is in `head`)
    std::int64_t head = 0;
    std::int64_t position = 0;
    std::int64_t projection = 0;
    std::int64_t attention = 0;
    std::int64_t norm = 0;
    std::int64_t mlp = 0;
    std::int64_t router = 0;
    std::int64_t routedExperts = 0;
    std::int64_t sharedExperts = 0;
    std::int64_t mtp = 0;      ///< not in `total`
    std::int64_t buffers = 0;  ///< not in `total`
};
ParameterCount countParameters(const ModelSpec& model);

}  // namespace fabricast
