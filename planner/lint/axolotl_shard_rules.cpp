#include "planner/lint/framework_files.h"

namespace fabricast {
namespace {

LintHits packedRing(const LintView& view) {
    const LintFile& file = view.file;
    if (file.whole("context_parallel_size", 1) <= 1) {
        return {};
    }
    LintHits hits;
    if (file.isOn("sample_packing") && file.whole("micro_batch_size", 1) > 1) {
        hits.push_back({file.at("micro_batch_size"),
                        "micro_batch_size " + file.text("micro_batch_size") +
                            " with sample_packing and context_parallel_size",
                        "micro_batch_size: 1"});
    }
    const std::string attention = file.text("attn_implementation");
    const bool isFlash =
        attention == "flash_attention_2" || attention == "flash" || file.isOn("flash_attention");
    if (!isFlash) {
        hits.push_back(
            {file.at(attention.empty() ? "context_parallel_size" : "attn_implementation"),
             (attention.empty() ? "the default" : attention) +
                 " attention with context_parallel_size",
             "attn_implementation: flash_attention_2"});
    }
    return hits;
}

/// Axolotl's own choice follows from packing: axolotl/utils/schemas/validation.py.
LintHits ringForOthers(const LintView& view) {
    const LintFile& file = view.file;
    const std::string ring = file.text("ring_attn_func");
    const bool isSplit = file.whole("context_parallel_size", 1) > 1;
    const bool isPacked = file.isOn("sample_packing");
    return isSplit && ring == "batch_ring" && isPacked
               ? LintHits{{file.at("ring_attn_func"),
                           "ring_attn_func batch_ring with sample_packing",
                           "ring_attn_func: varlen_llama3"}}
               : LintHits{};
}

LintHits ringWithoutPacks(const LintView& view) {
    const LintFile& file = view.file;
    const bool isSplit = file.whole("context_parallel_size", 1) > 1;
    return isSplit && file.text("ring_attn_func") == "varlen_llama3" && !file.isOn("sample_packing")
               ? LintHits{{file.at("ring_attn_func"),
                           "ring_attn_func varlen_llama3 without sample_packing",
                           "ring_attn_func: batch_ring"}}
               : LintHits{};
}

LintHits shardsOfNothing(const LintView& view) {
    const LintFile& file = view.file;
    return file.whole("dp_shard_size", 1) > 1 && !axolotlShards(file)
               ? LintHits{{file.at("dp_shard_size"),
                           "dp_shard_size " + file.text("dp_shard_size") + " without fsdp_config",
                           "fsdp_version: 2, fsdp_config: {reshard_after_forward: true}"}}
               : LintHits{};
}

LintHits muonElsewhere(const LintView& view) {
    const LintFile& file = view.file;
    const bool firstFsdp = axolotlShards(file) && !axolotlUsesFsdp2(file);
    if (file.text("optimizer") != "muon" || (!firstFsdp && file.text("deepspeed").empty())) {
        return {};
    }
    return {{file.at("optimizer"),
             firstFsdp ? "optimizer muon under FSDP1" : "optimizer muon under DeepSpeed",
             "fsdp_version: 2"}};
}

LintHits refusedPair(const LintView& view) {
    const LintFile& file = view.file;
    return !file.text("deepspeed").empty() && file.has("fsdp")
               ? LintHits{{file.at("deepspeed"),
                           "deepspeed and fsdp are both in the file",
                           "one of the two"}}
               : LintHits{};
}

LintHits silentPair(const LintView& view) {
    const LintFile& file = view.file;
    return !file.text("deepspeed").empty() && !file.has("fsdp") && file.keys().has("fsdp_config")
               ? LintHits{{file.at("deepspeed"),
                           "deepspeed and fsdp_config are both in the file",
                           "one of the two"}}
               : LintHits{};
}

LintHits oldFsdp(const LintView& view) {
    const LintFile& file = view.file;
    if (!axolotlShards(file) || axolotlUsesFsdp2(file)) {
        return {};
    }
    const LaunchKey* const version = file.at("fsdp_version");
    return {{version != nullptr ? version : file.at("fsdp"),
             version != nullptr ? "fsdp_version is 1" : "fsdp_version is not said, which means 1",
             "fsdp_version: 2; `fabricast emit FILE --stack axolotl` writes it"}};
}

LintHits wholeGradients(const LintView& view) {
    const LintFile& file = view.file;
    const bool isFull = file.text("adapter").empty();
    if (!axolotlShards(file) || !isFull || file.whole("gradient_accumulation_steps", 1) < 2) {
        return {};
    }
    return {{file.at("gradient_accumulation_steps"),
             "gradients of " + file.text("gradient_accumulation_steps") +
                 " micro-batches are summed before they are sharded",
             "gradient_accumulation_steps: 1, with a larger micro_batch_size where there is room"}};
}

constexpr std::array kAxolotlShardRules = {
    LintRule{"AX05",
             LintSeverity::Error,
             "ring attention that its kernel does not have",
             "Axolotl ends at the start.",
             &packedRing},
    LintRule{"AX06",
             LintSeverity::Error,
             "Muon without FSDP2",
             "Axolotl ends at the start.",
             &muonElsewhere},
    LintRule{"AX07",
             LintSeverity::Error,
             "fsdp and deepspeed in one file",
             "Axolotl ends at the start.",
             &refusedPair},
    LintRule{"AX09",
             LintSeverity::Warning,
             "FSDP1",
             "Axolotl calls it deprecated; FSDP2 shards each parameter and holds less memory.",
             &oldFsdp},
    LintRule{"AX10",
             LintSeverity::Warning,
             "whole gradients between micro-batches",
             "Each rank keeps the gradients of the whole model until the last micro-batch.",
             &wholeGradients},
    LintRule{"AX18",
             LintSeverity::Warning,
             "fsdp_config and deepspeed in one file",
             "Axolotl takes it, and starts with one of the two.",
             &silentPair},
    LintRule{"AX19",
             LintSeverity::Error,
             "shards without FSDP",
             "Axolotl ends at the start: only FSDP shards over data ranks.",
             &shardsOfNothing},
    LintRule{"AX20",
             LintSeverity::Warning,
             "a ring that does not part packed samples",
             "Samples of a pack attend to each other: the ring takes no positions.",
             &ringForOthers},
    LintRule{"AX21",
             LintSeverity::Error,
             "a ring of packed samples without packing",
             "It is given no lengths, and ends in the first step.",
             &ringWithoutPacks}};

}  // namespace

std::span<const LintRule> axolotlShardRules() {
    return kAxolotlShardRules;
}

}  // namespace fabricast
