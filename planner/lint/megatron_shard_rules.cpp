#include "planner/lint/megatron_sizes.h"

#include <array>
#include <charconv>

namespace fabricast {
namespace {

LintHits unsupportedGather(const LintView& view) {
    const LintFile& file = view.file;
    if (!file.has("--overlap-param-gather")) {
        return {};
    }
    const bool shards = file.has("--use-distributed-optimizer") || usesMegatronFsdp(file) ||
                        file.text("--optimizer").ends_with("muon");
    if (shards && file.has("--overlap-grad-reduce")) {
        return {};
    }
    return hitsAt(file,
                  "--overlap-param-gather",
                  std::string("--overlap-param-gather without ") +
                      (shards ? "--overlap-grad-reduce" : "--use-distributed-optimizer"),
                  shards                              ? "--overlap-grad-reduce"
                  : file.has("--overlap-grad-reduce") ? "--use-distributed-optimizer"
                                                      : "--use-distributed-optimizer "
                                                        "--overlap-grad-reduce");
}

LintHits awareOfWhat(const LintView& view) {
    const LintFile& file = view.file;
    const char* const flag = "--use-precision-aware-optimizer";
    const std::string optimizer = file.text("--optimizer");
    const bool isAdam = optimizer.empty() || optimizer == "adam";
    return !file.has(flag) || (isAdam && file.has("--use-distributed-optimizer"))
               ? LintHits()
               : hitsAt(file,
                        flag,
                        isAdam ? "it needs --use-distributed-optimizer" : "it is for Adam alone",
                        isAdam ? "--use-distributed-optimizer" : "leave it out");
}

/// As validate_args has it (arguments.py:1060 of 0.19).
LintHits gathersWhole(const LintView& view) {
    const LintFile& file = view.file;
    const char* const flag = "--fp8-param-gather";
    const bool shards =
        file.has("--use-distributed-optimizer") || usesFsdp2(file) || usesMegatronFsdp(file);
    return !file.has(flag) || shards || file.opened().words != MegatronWords::Arguments
               ? LintHits()
               : hitsAt(file,
                        flag,
                        "weights of 8 bits without sharded states",
                        "--use-distributed-optimizer");
}

LintHits fsdp2Beside(const LintView& view) {
    const LintFile& file = view.file;
    if (!usesFsdp2(file)) {
        return {};
    }
    const MegatronSizes sizes = megatronSizes(view);
    LintHits hits;
    const auto add = [&](const char* flag, const char* what, const char* fix) {
        hits.push_back(hitAt(file, flag, what, fix));
    };
    if (file.has("--use-distributed-optimizer")) {
        add("--use-distributed-optimizer", "FSDP2 with the distributed optimizer", "leave it out");
    }
    if (sizes.pp > 1 || sizes.ep > 1) {
        add(sizes.pp > 1 ? "--pipeline-model-parallel-size" : "--expert-model-parallel-size",
            "FSDP2 with a pipeline or expert ranks",
            "--use-megatron-fsdp");
    }
    if (!file.has("--no-gradient-accumulation-fusion")) {
        add("--use-torch-fsdp2",
            "FSDP2 with fused gradient accumulation",
            "--no-gradient-accumulation-fusion");
    }
    if (file.has("--fp16")) {
        add("--fp16", "FSDP2 with fp16", "--bf16");
    }
    if (!file.has("--untie-embeddings-and-output-weights")) {
        add("--use-torch-fsdp2",
            "FSDP2 with tied embeddings",
            "--untie-embeddings-and-output-weights");
    }
    return hits;
}

LintHits fsdpCheckpoints(const LintView& view) {
    const LintFile& file = view.file;
    return usesMegatronFsdp(file) && file.text("--ckpt-format") != "fsdp_dtensor"
               ? hitsAt(file,
                        file.has("--ckpt-format") ? "--ckpt-format" : "--use-megatron-fsdp",
                        "Megatron-FSDP with checkpoints of another format",
                        "--ckpt-format fsdp_dtensor")
               : LintHits();
}

LintHits wholeStates(const LintView& view) {
    const LintFile& file = view.file;
    const std::optional<std::int64_t> ranks = megatronSizes(view).dataRanks();
    const bool shards =
        file.has("--use-distributed-optimizer") || usesFsdp2(file) || usesMegatronFsdp(file);
    return ranks && *ranks > 1 && !shards && !file.has("peft")
               ? LintHits{{nullptr,
                           "each of " + std::to_string(*ranks) + " data ranks holds all states",
                           "--use-distributed-optimizer"}}
               : LintHits();
}

/// What the wait costs by the forecast of the same file, where there is one.
std::string shareText(const LintFacts& facts) {
    if (!facts.shardShare) {
        return "";
    }
    std::array<char, 16> percent{};
    char* const end = std::to_chars(percent.data(),
                                    percent.data() + percent.size(),
                                    100.0 * *facts.shardShare,
                                    std::chars_format::fixed,
                                    1)
                          .ptr;
    return ": " + std::string(percent.data(), end) +
           " % of a step is for parameters and gradients that are waited for";
}

LintHits waitingGradients(const LintView& view) {
    const LintFile& file = view.file;
    const std::optional<std::int64_t> ranks = megatronSizes(view).dataRanks();
    return ranks && *ranks > 1 && !file.has("--overlap-grad-reduce") && !usesFsdp2(file) &&
                   !usesMegatronFsdp(file)
               ? LintHits{{nullptr,
                           "gradients of " + std::to_string(*ranks) +
                               " data ranks are reduced at the end" + shareText(view.facts),
                           "--overlap-grad-reduce"}}
               : LintHits();
}

LintHits unshardedFp8(const LintView& view) {
    const LintFile& file = view.file;
    const bool shards =
        file.has("--use-distributed-optimizer") || usesFsdp2(file) || usesMegatronFsdp(file);
    return file.has("--fp8-param-gather") && !shards
               ? hitsAt(file,
                        "--fp8-param-gather",
                        "weights gathered in fp8 that are not sharded",
                        "--use-distributed-optimizer")
               : LintHits();
}

constexpr std::array kMegatronShardRules = {
    LintRule{"MG24",
             LintSeverity::Error,
             "overlapped gathers of what is not sharded",
             "Megatron ends at the start.",
             &unsupportedGather},
    LintRule{"MG26",
             LintSeverity::Error,
             "a precision-aware optimizer of whole states",
             "Megatron ends at the start.",
             &awareOfWhat},
    LintRule{"MG27",
             LintSeverity::Error,
             "what torch's FSDP2 does not go with",
             "Megatron ends at the start.",
             &fsdp2Beside},
    LintRule{"MG28",
             LintSeverity::Error,
             "checkpoints that Megatron-FSDP does not write",
             "Megatron ends at the start.",
             &fsdpCheckpoints},
    LintRule{
        "MG38",
        LintSeverity::Warning,
        "states that nobody shards",
        "Adam's states take 12 bytes a parameter on every rank, instead of 12 on all together.",
        &wholeStates,
        true},
    // Megatron's own default: nothing in the file is of no effect.
    LintRule{"MG39",
             LintSeverity::Note,
             "gradients that are waited for",
             "They could be sent beside the backward pass.",
             &waitingGradients,
             true},
    LintRule{"MG47",
             LintSeverity::Error,
             "fp8 gathers of what is not sharded",
             "Megatron ends at the start.",
             &unshardedFp8},
    LintRule{"MG57",
             LintSeverity::Error,
             "weights of 8 bits that nobody gathers",
             "Megatron ends at the start.",
             &gathersWhole}};

}  // namespace

std::span<const LintRule> megatronShardRules() {
    return kMegatronShardRules;
}

}  // namespace fabricast
