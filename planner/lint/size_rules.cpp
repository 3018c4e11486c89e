#include "planner/base/small_letters.h"
#include "planner/lint/lint_rule.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fabricast {
namespace {

/// A count that every run has one of at least: of samples, tokens, ranks, layers. Names are without
/// their section and dashes.
struct SizeBounds {
    std::string_view name;
    std::int64_t least = 1;
    bool maybeLeft = false;  ///< -1 leaves it to the framework
};
constexpr std::array kSizes = {
    // DeepSpeed
    SizeBounds{"train_batch_size"},
    SizeBounds{"train_micro_batch_size_per_gpu"},
    SizeBounds{"gradient_accumulation_steps"},
    SizeBounds{"sequence_parallel_size"},
    SizeBounds{"autotp_size", 0},
    SizeBounds{"autoep_size", 0},
    SizeBounds{"zero_hpz_partition_size"},
    // Accelerate and launchers
    SizeBounds{"num_processes"},
    SizeBounds{"num_machines"},
    SizeBounds{"nproc_per_node"},
    SizeBounds{"nnodes"},
    SizeBounds{"nodes"},
    SizeBounds{"ntasks"},
    SizeBounds{"ntasks_per_node"},
    SizeBounds{"gpus_per_node"},
    SizeBounds{"parallelism_config_tp_size"},
    SizeBounds{"parallelism_config_cp_size"},
    SizeBounds{"parallelism_config_sp_size"},
    SizeBounds{"parallelism_config_dp_shard_size"},
    SizeBounds{"parallelism_config_dp_replicate_size"},
    // Axolotl and Hugging Face's Trainer
    SizeBounds{"micro_batch_size"},
    SizeBounds{"eval_batch_size"},
    SizeBounds{"sequence_len"},
    SizeBounds{"tensor_parallel_size"},
    SizeBounds{"context_parallel_size"},
    SizeBounds{"expert_parallel_size"},
    SizeBounds{"dp_shard_size"},
    SizeBounds{"dp_replicate_size"},
    SizeBounds{"lora_r"},
    SizeBounds{"per_device_train_batch_size"},
    SizeBounds{"per_device_eval_batch_size"},
    SizeBounds{"max_seq_length"},
    // torchtune
    SizeBounds{"batch_size"},
    SizeBounds{"tensor_parallel_dim"},
    SizeBounds{"max_seq_len"},
    // Megatron
    SizeBounds{"global_batch_size", 1, true},
    SizeBounds{"seq_length"},
    SizeBounds{"max_position_embeddings"},
    SizeBounds{"num_layers"},
    SizeBounds{"hidden_size"},
    SizeBounds{"ffn_hidden_size"},
    SizeBounds{"moe_ffn_hidden_size"},
    SizeBounds{"num_attention_heads"},
    SizeBounds{"num_query_groups"},
    SizeBounds{"kv_channels"},
    SizeBounds{"vocab_size"},
    SizeBounds{"num_experts"},
    SizeBounds{"moe_router_topk"},
    SizeBounds{"tensor_model_parallel_size"},
    SizeBounds{"pipeline_model_parallel_size"},
    SizeBounds{"expert_model_parallel_size"},
    SizeBounds{"expert_tensor_parallel_size"},
    SizeBounds{"num_layers_per_virtual_pipeline_stage"},
    SizeBounds{"num_virtual_stages_per_pipeline_rank"},
    // torchtitan
    SizeBounds{"local_batch_size"},
    SizeBounds{"seq_len"},
    SizeBounds{"tensor_parallel_degree"},
    SizeBounds{"pipeline_parallel_degree"},
    SizeBounds{"context_parallel_degree"},
    SizeBounds{"expert_parallel_degree"},
    SizeBounds{"expert_tensor_parallel_degree"},
    SizeBounds{"data_parallel_replicate_degree"},
    SizeBounds{"data_parallel_shard_degree", 1, true},
    SizeBounds{"pipeline_parallel_microbatch_size"}};

/// As of a scenario's batches and sequences: no published run has a size near it.
constexpr std::int64_t kMostOfASize = 16'777'216;

/// "--seq-length", "training.seq_len" and "torchrun --nnodes" without what stands before.
std::string sizeName(std::string_view path) {
    path.remove_prefix(std::min(path.size(), path.find_last_of(" .") + 1));
    path.remove_prefix(std::min(path.size(), path.find_first_not_of('-')));
    std::string name(path);
    std::ranges::replace(name, '-', '_');
    return name;
}

/// Of torchtitan, and of programs that name its degrees.
bool isLeft(const SizeBounds& size, const LintView& view, double value) {
    return size.maybeLeft && value == -1.0 &&
           (view.file.kind() == LaunchKind::Titan || view.file.keys().source().ends_with(".py"));
}

/// "nan", "-inf", "1e999": a number to whoever reads it, and no size.
bool isNoNumber(const LaunchKey& key) {
    if (key.values.size() != 1 || numberOf(key)) {
        return false;
    }
    std::string word = inSmallLetters(key.values.front());
    word.erase(0, word.find_first_not_of("+-."));
    const bool isHuge = !word.empty() && word.find_first_not_of("0123456789e+.") == word.npos &&
                        word.find('e') != word.npos;
    return word == "nan" || word == "inf" || word == "infinity" || isHuge;
}

/// A word where nobody fills in a number: torchtune has no "auto", only ${…} of another key.
bool isWordOfTune(const LintView& view, const LaunchKey& key) {
    const std::string word = view.file.kind() == LaunchKind::Tune ? view.file.text(key.path) : "";
    return !word.empty() && !word.starts_with('$') && !numberOf(key);
}

/// What is no number is left to whoever fills it in: "auto", "$NODES". Of one that is said again
/// only what holds counts.
LintHits senselessSizes(const LintView& view) {
    LintHits hits;
    for (const LaunchKey& key : view.file.keys().all()) {
        const auto size = std::ranges::find(kSizes, sizeName(key.path), &SizeBounds::name);
        const bool counts = size != kSizes.end() && view.file.at(key.path) == &key;
        const std::optional<double> value = counts ? numberOf(key) : std::nullopt;
        const bool isWord = counts && (isWordOfTune(view, key) || isNoNumber(key));
        if (!isWord && (!value || isLeft(*size, view, *value))) {
            continue;
        }
        const bool isSize = !isWord && std::floor(*value) == *value &&
                            *value >= static_cast<double>(size->least) &&
                            *value <= static_cast<double>(kMostOfASize);
        if (!isSize) {
            hits.push_back({&key,
                            key.path + " is " + key.values.front(),
                            "a whole number from " + std::to_string(size->least) + " to " +
                                std::to_string(kMostOfASize)});
        }
    }
    return hits;
}

constexpr std::array kSizeRules = {LintRule{"SZ01",
                                            LintSeverity::Error,
                                            "a size that no run can have",
                                            "The run ends at its start, or trains on nothing.",
                                            &senselessSizes}};

}  // namespace

std::span<const LintRule> sizeRules() {
    return kSizeRules;
}

}  // namespace fabricast
