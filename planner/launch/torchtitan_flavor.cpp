#include "planner/launch/launch_files.h"
#include "planner/launch/torchtitan_model.h"
#include "planner/stack/model_code.h"

namespace fabricast {

Result<std::string> titanFlavorModule(const ModelSpec& model) {
    FABRICAST_TRY(checkTitanCode(model));
    if (const std::string why = whyNoTitanFlavor(model); !why.empty()) {
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
