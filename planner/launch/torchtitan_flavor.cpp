#include "planner/launch/torchtitan_flavor.h"

#include "planner/launch/launch_files.h"
#include "planner/stack/packaged_models.h"

namespace fabricast {
namespace {

/// torchtitan/models/llama3/model of 0.2.2: heads make up the hidden width, and the head has a
/// matrix of its own.
std::string whyNoFlavor(const ModelSpec& model) {
    const AttentionSpec& attention = model.attention;
    return model.family != "llama" ? "its llama3 is no " + model.family
           : model.tiedEmbeddings  ? "its llama3 does not tie embeddings"
           : !model.window.empty() ? "its llama3 has no attention window"
           : model.moe.has_value() ? "its llama3 has no experts"
           : attention.heads * attention.headDim != model.hidden
               ? "heads of its llama3 make up the hidden width"
               : "";
}

}  // namespace

Result<std::string> titanFlavorModule(const ModelSpec& model) {
    FABRICAST_TRY(checkTitanCode(model));
    if (const std::string why = whyNoFlavor(model); !why.empty()) {
        return fail(
            Error::Code::Unsupported, "model", "torchtitan 0.2.2 has no code for it: " + why);
    }
    const auto number = [](std::int64_t value) { return std::to_string(value); };
    return "from torchtitan.models.llama3 import TransformerModelArgs, llama3_args\n\n"
           "llama3_args[" +
           quotedText(model.name) + "] = TransformerModelArgs(\n    dim=" + number(model.hidden) +
           ",\n    n_layers=" + number(model.layers) +
           ",\n    n_heads=" + number(model.attention.heads) +
           ",\n    n_kv_heads=" + number(model.attention.kvHeads) +
           ",\n    vocab_size=" + number(model.vocab) +
           ",\n    # The width of its feed-forward layers is the one multiple above a part of it.\n"
           "    multiple_of=" +
           number(model.mlp.width) +
           ",\n    ffn_dim_multiplier=0.1,\n"
           "    # Yours to set, of its config.json: they change no shape.\n"
           "    norm_eps=1e-5,\n    rope_theta=10000,\n)\n";
}

}  // namespace fabricast
