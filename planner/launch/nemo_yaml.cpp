#include "planner/base/slipped_name.h"
#include "planner/launch/nemo.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// What a value of YAML makes of an argument: itself, a switch where it is on or off, or a word.
enum class NemoForm { Same, On, Off, Word };

struct NemoRow {
    std::string_view path;
    std::string_view flag;
    NemoForm form = NemoForm::Same;
    std::string_view word{};   ///< of `Word`: what the value has to be
    std::string_view means{};  ///< and what is typed then
};
constexpr std::array kNemoRows = {
    NemoRow{"trainer.num_nodes", "torchrun --nnodes"},
    NemoRow{"trainer.devices", "torchrun --nproc-per-node"},
    NemoRow{"trainer.precision", "--bf16", NemoForm::Word, "bf16"},
    NemoRow{"trainer.precision", "--bf16", NemoForm::Word, "bf16-mixed"},
    NemoRow{"trainer.precision", "--fp16", NemoForm::Word, "16"},
    NemoRow{"trainer.precision", "--fp16", NemoForm::Word, "16-mixed"},
    NemoRow{"model.micro_batch_size", "--micro-batch-size"},
    NemoRow{"model.global_batch_size", "--global-batch-size"},
    NemoRow{"model.data.train_ds.max_seq_length", "--seq-length"},  // of a fine-tuning
    NemoRow{"model.encoder_seq_length", "--seq-length"},
    NemoRow{"model.max_position_embeddings", "--max-position-embeddings"},
    NemoRow{"model.tensor_model_parallel_size", "--tensor-model-parallel-size"},
    NemoRow{"model.pipeline_model_parallel_size", "--pipeline-model-parallel-size"},
    NemoRow{"model.virtual_pipeline_model_parallel_size", "--num-virtual-stages-per-pipeline-rank"},
    NemoRow{"model.context_parallel_size", "--context-parallel-size"},
    NemoRow{"model.expert_model_parallel_size", "--expert-model-parallel-size"},
    NemoRow{"model.sequence_parallel", "--sequence-parallel", NemoForm::On},
    NemoRow{"model.num_layers", "--num-layers"},
    NemoRow{"model.hidden_size", "--hidden-size"},
    NemoRow{"model.ffn_hidden_size", "--ffn-hidden-size"},
    NemoRow{"model.num_attention_heads", "--num-attention-heads"},
    NemoRow{"model.num_query_groups", "--num-query-groups"},
    NemoRow{"model.kv_channels", "--kv-channels"},
    NemoRow{"model.rotary_percentage", "--rotary-percent"},
    NemoRow{"model.num_moe_experts", "--num-experts"},
    NemoRow{"model.moe_router_topk", "--moe-router-topk"},
    NemoRow{"model.make_vocab_size_divisible_by", "--make-vocab-size-divisible-by"},
    NemoRow{"model.override_vocab_size", "--vocab-size"},
    NemoRow{"model.hidden_dropout", "--hidden-dropout"},
    NemoRow{"model.attention_dropout", "--attention-dropout"},
    NemoRow{"model.normalization", "--normalization", NemoForm::Word, "rmsnorm", "RMSNorm"},
    NemoRow{"model.activation", "--swiglu", NemoForm::Word, "fast-swiglu"},
    NemoRow{"model.activation", "--swiglu", NemoForm::Word, "swiglu"},
    NemoRow{"model.bias", "--disable-bias-linear", NemoForm::Off},
    NemoRow{"model.share_embeddings_and_output_weights",
            "--untie-embeddings-and-output-weights",
            NemoForm::Off},
    NemoRow{"model.activations_checkpoint_granularity", "--recompute-granularity"},
    NemoRow{"model.activations_checkpoint_method", "--recompute-method"},
    NemoRow{"model.activations_checkpoint_num_layers", "--recompute-num-layers"},
    NemoRow{
        "model.gradient_accumulation_fusion", "--no-gradient-accumulation-fusion", NemoForm::Off},
    NemoRow{"model.apply_rope_fusion", "--no-rope-fusion", NemoForm::Off},
    NemoRow{"model.ub_tp_comm_overlap", "--tp-comm-overlap", NemoForm::On},
    NemoRow{"model.fp8", "--fp8-format", NemoForm::On},
    NemoRow{"model.fsdp", "--use-torch-fsdp2", NemoForm::On},
    NemoRow{"model.optim.name",
            "--use-distributed-optimizer",
            NemoForm::Word,
            "distributed_fused_adam"},
    NemoRow{"model.optim.name",
            "--use-distributed-optimizer",
            NemoForm::Word,
            "mcore_distributed_optim"},
    NemoRow{"model.optim.overlap_grad_sync", "--overlap-grad-reduce", NemoForm::On},
    NemoRow{"model.optim.overlap_param_sync", "--overlap-param-gather", NemoForm::On}};

bool isSwitch(const std::string& value, bool on) {
    return on ? value == "true" || value == "True" : value == "false" || value == "False";
}

/// The argument's values; nothing where it is left out.
std::optional<std::vector<std::string>> valuesFor(const NemoRow& row, const LaunchKey& key) {
    const std::string value = key.values.size() == 1 ? key.values.front() : "";
    if (value.empty() || value == "null" || value.starts_with("$")) {
        return std::nullopt;
    }
    switch (row.form) {
        case NemoForm::Same:
            return key.values;
        case NemoForm::On:
        case NemoForm::Off:
            return isSwitch(value, row.form == NemoForm::On)
                       ? std::optional(std::vector<std::string>())
                       : std::nullopt;
        case NemoForm::Word:
            break;
    }
    if (value != row.word) {
        return std::nullopt;
    }
    return row.means.empty() ? std::vector<std::string>()
                             : std::vector<std::string>{std::string(row.means)};
}

/// Beside arguments: whose defaults hold, and groups of queries.
void addBeside(const LaunchKeys& yaml, LaunchKeys& keys) {
    LaunchKey stack = *yaml.find("model.tensor_model_parallel_size");
    stack.path = "stack";
    stack.values = {"nemo"};
    keys.add(std::move(stack));
    if (const LaunchKey* const groups = yaml.find("model.num_query_groups")) {
        keys.add({.path = "--group-query-attention",
                  .values = {},
                  .line = groups->line,
                  .column = groups->column});
    }
}

/// A whole number that the file says itself: nothing is worked out.
std::optional<std::int64_t> countIn(const LaunchKeys& yaml, std::string_view path) {
    const LaunchKey* const key = yaml.find(path);
    std::int64_t count = 0;
    if (key == nullptr || key->values.size() != 1) {
        return std::nullopt;
    }
    const std::string& text = key->values.front();
    const auto read = std::from_chars(text.data(), text.data() + text.size(), count);
    return read.ec == std::errc() ? std::optional(count) : std::nullopt;
}

/// Activations on the host: of as many layers as are said, usually all but one by a formula.
void addOffloading(const LaunchKeys& yaml, LaunchKeys& keys) {
    const LaunchKey* const asked = yaml.find("model.cpu_offloading");
    if (asked == nullptr || asked->values.empty() || !isSwitch(asked->values.front(), true)) {
        return;
    }
    const LaunchKey* const activations = yaml.find("model.cpu_offloading_activations");
    if (activations != nullptr && !activations->values.empty() &&
        isSwitch(activations->values.front(), false)) {
        return;  // Transformer Engine offloads no weights: asked for these alone, nothing
    }
    const std::optional<std::int64_t> said = countIn(yaml, "model.cpu_offloading_num_layers");
    const std::optional<std::int64_t> layers = countIn(yaml, "model.num_layers");
    if (!said && !layers) {
        return;
    }
    LaunchKey key = *asked;
    key.path = "--cpu-offloading-num-layers";
    key.values = {std::to_string(said ? *said : *layers - 1)};
    keys.add(std::move(key));
}

}  // namespace

std::optional<std::string> nemoKeyOf(const std::string& flag) {
    const auto* const row = std::ranges::find(kNemoRows, flag, &NemoRow::flag);
    if (row == kNemoRows.end()) {
        return std::nullopt;
    }
    const std::string path(row->path);
    switch (row->form) {
        case NemoForm::Same:
            break;
        case NemoForm::On:
            return path + ": true";
        case NemoForm::Off:
            return path + ": false";
        case NemoForm::Word:
            return path + ": " + std::string(row->word);
    }
    return path;
}

bool isNemoYaml(const LaunchKeys& yaml) {
    return yaml.has("trainer") && yaml.find("model.tensor_model_parallel_size") != nullptr;
}

std::string nemoKeyNear(const std::string& path) {
    constexpr std::size_t kLeastLetters = 8;  // shorter ones are near to real ones
    std::vector<std::string_view> known;
    for (const NemoRow& row : kNemoRows) {
        known.push_back(row.path);
    }
    const bool isKnown = std::ranges::find(known, path) != known.end();
    const bool isLong = path.size() - (path.rfind('.') + 1) >= kLeastLetters;
    return isKnown || !isLong ? "" : slippedName(path, known);
}

Result<LaunchKeys> argumentsOfNemoYaml(const LaunchKeys& yaml) {
    LaunchKeys keys(yaml.source());
    addBeside(yaml, keys);
    addOffloading(yaml, keys);
    FABRICAST_TRY(addNemoAdapters(yaml, keys));
    for (const LaunchKey& one : yaml.all()) {
        if (!nemoKeyNear(one.path).empty()) {
            keys.add(one);  // for lint, and to be said as not looked at
        }
        for (const NemoRow& row : kNemoRows) {
            const auto values = row.path == one.path ? valuesFor(row, one) : std::nullopt;
            if (values) {
                LaunchKey key = one;
                key.path = row.flag;
                key.values = *values;
                keys.add(std::move(key));
            }
        }
    }
    return keys;
}

}  // namespace fabricast
