#include "planner/launch/launch_files.h"
#include "planner/lint/megatron_sizes.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace fabricast {
namespace {

LintHits noHits() {
    return {};
}

LintHits oneHit(const LintFile& file, const char* flag, std::string what, std::string fix) {
    return {hitAt(file, flag, std::move(what), std::move(fix))};
}

LintHits halvesOfMegatron(const LintView& view) {
    return view.file.has("--bf16") && view.file.has("--fp16")
               ? oneHit(view.file, "--fp16", "--fp16 and --bf16 are both given", "leave --fp16 out")
               : noHits();
}

LintHits fullMegatron(const LintView& view) {
    return view.file.has("--bf16") || view.file.has("--fp16")
               ? noHits()
               : LintHits{{nullptr, "neither --bf16 nor --fp16 is given", "--bf16"}};
}

/// As validate_args (megatron/training/arguments.py) has it: --recompute-activations wins.
std::string granularityOf(const LintFile& file) {
    return file.has("--recompute-activations") ? "selective" : file.text("--recompute-granularity");
}

LintHits wrongRecompute(const LintView& view) {
    const LintFile& file = view.file;
    const std::string granularity = granularityOf(file);
    const bool method = file.has("--recompute-method");
    const bool layers = file.has("--recompute-num-layers");
    if (granularity == "selective" && (method || layers)) {
        return oneHit(file,
                      method ? "--recompute-method" : "--recompute-num-layers",
                      std::string(method ? "a method" : "a number of layers") +
                          " with selective recomputation",
                      file.has("--recompute-activations")
                          ? "leave --recompute-activations out: it is selective whatever "
                            "--recompute-granularity says"
                          : "leave it out, or --recompute-granularity full");
    }
    if (granularity == "full" && (!method || !layers)) {
        return oneHit(file,
                      "--recompute-granularity",
                      std::string("full recomputation without ") +
                          (method ? "--recompute-num-layers" : "--recompute-method"),
                      "--recompute-method uniform --recompute-num-layers 1");
    }
    return {};
}

LintHits distributedActivations(const LintView& view) {
    const LintFile& file = view.file;
    const char* const flag = "--distribute-saved-activations";
    const bool holds = megatronSizes(view).tp > 1 && granularityOf(file) == "full" &&
                       !file.has("--sequence-parallel");
    return !file.has(flag) || holds
               ? noHits()
               : oneHit(file,
                        flag,
                        "distributed activations without tensor ranks, full recomputation, or "
                        "beside --sequence-parallel",
                        megatronSizes(view).tp > 1
                            ? "leave --distribute-saved-activations out, --sequence-parallel"
                            : "leave --distribute-saved-activations out");
}

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
    return oneHit(file,
                  "--overlap-param-gather",
                  std::string("--overlap-param-gather without ") +
                      (shards ? "--overlap-grad-reduce" : "--use-distributed-optimizer"),
                  shards                              ? "--overlap-grad-reduce"
                  : file.has("--overlap-grad-reduce") ? "--use-distributed-optimizer"
                                                      : "--use-distributed-optimizer "
                                                        "--overlap-grad-reduce");
}

LintHits unawareOptimizer(const LintView& view) {
    const LintFile& file = view.file;
    if (file.has("--use-precision-aware-optimizer")) {
        return {};
    }
    const std::string fix =
        std::string("--use-precision-aware-optimizer") +
        (file.has("--use-distributed-optimizer") ? "" : " --use-distributed-optimizer");
    if (file.has("--optimizer-cpu-offload")) {
        return oneHit(file,
                      "--optimizer-cpu-offload",
                      "an optimizer on the CPU without --use-precision-aware-optimizer",
                      fix);
    }
    for (const char* const flag :
         {"--exp-avg-dtype", "--exp-avg-sq-dtype", "--main-params-dtype", "--main-grads-dtype"}) {
        const std::string type = file.text(flag);
        if (!type.empty() && type != "fp32") {
            return oneHit(
                file,
                flag,
                std::string(flag) + " " + type + " without --use-precision-aware-optimizer",
                fix);
        }
    }
    return {};
}

LintHits awareOfWhat(const LintView& view) {
    const LintFile& file = view.file;
    const char* const flag = "--use-precision-aware-optimizer";
    const std::string optimizer = file.text("--optimizer");
    const bool isAdam = optimizer.empty() || optimizer == "adam";
    return !file.has(flag) || (isAdam && file.has("--use-distributed-optimizer"))
               ? noHits()
               : oneHit(file,
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
               ? noHits()
               : oneHit(file,
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
               ? oneHit(file,
                        file.has("--ckpt-format") ? "--ckpt-format" : "--use-megatron-fsdp",
                        "Megatron-FSDP with checkpoints of another format",
                        "--ckpt-format fsdp_dtensor")
               : noHits();
}

LintHits wrongConnections(const LintView& view) {
    const LintFile& file = view.file;
    const MegatronSizes sizes = megatronSizes(view);
    const LaunchKey* const key = file.at("env CUDA_DEVICE_MAX_CONNECTIONS");
    if (key == nullptr) {
        return {};
    }
    const bool isOne = key->values.front() == "1";
    const bool fsdp = usesFsdp2(file) || usesMegatronFsdp(file);
    if (fsdp && isOne) {
        return {{key, "CUDA_DEVICE_MAX_CONNECTIONS is 1 under FSDP", "leave it unset, or 8"}};
    }
    const bool needsOne = (sizes.tp > 1 || sizes.cp > 1) && !fsdp &&
                          !file.has("--overlap-moe-expert-parallel-comm") &&
                          !view.facts.isBlackwell.value_or(false);
    return needsOne && !isOne ? LintHits{{key,
                                          "CUDA_DEVICE_MAX_CONNECTIONS is " + key->values.front() +
                                              " with tensor or context ranks",
                                          "export CUDA_DEVICE_MAX_CONNECTIONS=1"}}
                              : noHits();
}

LintHits unsetConnections(const LintView& view) {
    const LintFile& file = view.file;
    const MegatronSizes sizes = megatronSizes(view);
    const bool needs = (sizes.tp > 1 || sizes.cp > 1) && !usesFsdp2(file) &&
                       !usesMegatronFsdp(file) && !file.has("--overlap-moe-expert-parallel-comm") &&
                       !view.facts.isBlackwell.value_or(false);
    return needs && file.has("script") && !file.has("env CUDA_DEVICE_MAX_CONNECTIONS")
               ? LintHits{{file.at("script"),
                           "CUDA_DEVICE_MAX_CONNECTIONS is not set here",
                           "export CUDA_DEVICE_MAX_CONNECTIONS=1, before Blackwell"}}
               : noHits();
}

LintHits unoverlappedTensor(const LintView& view) {
    const bool holds = view.file.has("--sequence-parallel") && megatronSizes(view).tp > 1;
    return view.file.has("--tp-comm-overlap") && !holds
               ? oneHit(view.file,
                        "--tp-comm-overlap",
                        "--tp-comm-overlap without --sequence-parallel",
                        megatronSizes(view).tp > 1 ? "--sequence-parallel"
                                                   : "leave --tp-comm-overlap out")
               : noHits();
}

LintHits gatheredTokens(const LintView& view) {
    const std::string type = view.file.text("--moe-token-dispatcher-type");
    const bool gathers = type.empty() || type == "allgather";
    return megatronSizes(view).ep > 1 && gathers
               ? oneHit(
                     view.file,
                     type.empty() ? "--expert-model-parallel-size" : "--moe-token-dispatcher-type",
                     type.empty() ? "tokens go by all-gather, which is the default"
                                  : "tokens go by all-gather",
                     "--moe-token-dispatcher-type alltoall, or flex with DeepEP")
               : noHits();
}

LintHits oneExpertATime(const LintView& view) {
    const MegatronSizes sizes = megatronSizes(view);
    return sizes.experts / std::max<std::int64_t>(1, sizes.ep) > 1 &&
                   !view.file.has("--moe-grouped-gemm")
               ? oneHit(view.file,
                        "--num-experts",
                        std::to_string(sizes.experts / sizes.ep) +
                            " experts of a rank are computed one after another",
                        "--moe-grouped-gemm")
               : noHits();
}

LintHits roundedRouter(const LintView& view) {
    constexpr std::int64_t kMany = 32;
    return megatronSizes(view).experts >= kMany && !view.file.has("--moe-router-dtype")
               ? oneHit(view.file,
                        "--num-experts",
                        "the router chooses among " + view.file.text("--num-experts") +
                            " experts in bf16",
                        "--moe-router-dtype fp32")
               : noHits();
}

LintHits singleChoice(const LintView& view) {
    const LintFile& file = view.file;
    const std::string score = file.text("--moe-router-score-function");
    const bool softmax = score.empty() || score == "softmax";
    const bool sinkhorn = file.text("--moe-router-load-balancing-type") == "sinkhorn";
    return file.whole("--moe-router-topk", 2) == 1 && softmax && !sinkhorn &&
                   file.has("--num-experts") && !file.has("--moe-router-pre-softmax")
               ? oneHit(file,
                        "--moe-router-topk",
                        "one expert a token, with the softmax after the choice",
                        "--moe-router-pre-softmax")
               : noHits();
}

LintHits unoverlappableExperts(const LintView& view) {
    const LintFile& file = view.file;
    const char* const flag = "--overlap-moe-expert-parallel-comm";
    const MegatronSizes sizes = megatronSizes(view);
    if (!file.has(flag)) {
        return {};
    }
    const std::string type = file.text("--moe-token-dispatcher-type");
    const char* const what =
        sizes.ep <= 1                                    ? "without expert ranks"
        : type != "alltoall" && type != "flex"           ? "with tokens by all-gather"
        : file.text("--recompute-granularity") == "full" ? "with full recomputation"
        : sizes.pp > 1 && sizes.chunks <= 1              ? "with a pipeline of one chunk a stage"
        : file.has("--moe-shared-expert-overlap")        ? "beside --moe-shared-expert-overlap"
                                                         : nullptr;
    return what == nullptr ? noHits()
                           : oneHit(file, flag, std::string(flag) + " " + what, "one of the two");
}

LintHits offloadedLayers(const LintView& view) {
    const LintFile& file = view.file;
    const char* const flag = "--cpu-offloading-num-layers";
    const bool pipeline = megatronSizes(view).pp > 1;
    const bool refused = pipeline || file.has("--recompute-granularity");
    return file.whole(flag, 0) > 0 && refused
               ? oneHit(file,
                        flag,
                        std::string("offloaded activations with ") +
                            (pipeline ? "a pipeline" : "recomputation"),
                        "one of the two")
               : noHits();
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
               : noHits();
}

/// What the wait costs by the forecast of the same file, where there is one.
std::string shareText(const LintFacts& facts) {
    if (!facts.shardShare) {
        return "";
    }
    std::array<char, 16> percent{};
    const auto end = std::to_chars(percent.data(),
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
               : noHits();
}

LintHits twoLowPrecisions(const LintView& view) {
    return view.file.has("--fp4-format") && view.file.has("--fp8-format")
               ? oneHit(
                     view.file, "--fp4-format", "--fp4-format and --fp8-format", "one of the two")
               : noHits();
}

LintHits narrowGradients(const LintView& view) {
    const LintFile& file = view.file;
    const std::string recipe = file.text("--fp8-recipe");
    const bool blocks = recipe == "blockwise" || recipe == "mxfp8" || recipe == "custom";
    return file.text("--fp8-format") == "e4m3" && !blocks
               ? oneHit(file,
                        "--fp8-format",
                        "gradients in e4m3 with one scale a tensor",
                        "--fp8-format hybrid, or --fp8-recipe blockwise or mxfp8")
               : noHits();
}

LintHits staleScales(const LintView& view) {
    const LintFile& file = view.file;
    const std::string recipe = file.text("--fp8-recipe");
    return file.has("--fp8-format") && (recipe.empty() || recipe == "delayed") &&
                   file.whole("--fp8-amax-history-len", 1) < 16
               ? oneHit(file,
                        "--fp8-format",
                        "fp8 is scaled by the largest value of the last " +
                            std::to_string(file.whole("--fp8-amax-history-len", 1)) + " step(s)",
                        "--fp8-recipe tensorwise, or --fp8-amax-history-len 1024 "
                        "--fp8-amax-compute-algo max")
               : noHits();
}

LintHits roundedEnds(const LintView& view) {
    return view.file.has("--fp4-format") && !view.file.has("--first-last-layers-bf16")
               ? oneHit(view.file,
                        "--fp4-format",
                        "the first and last layers are computed in fp4 too",
                        "--first-last-layers-bf16")
               : noHits();
}

LintHits roundedSums(const LintView& view) {
    constexpr std::int64_t kMany = 16;
    const std::optional<std::int64_t> ranks = megatronSizes(view).dataRanks();
    return view.file.has("--grad-reduce-in-bf16") && ranks.value_or(kMany) >= kMany
               ? oneHit(view.file,
                        "--grad-reduce-in-bf16",
                        "gradients of " + (ranks ? std::to_string(*ranks) : "all") +
                            " data ranks are summed in bf16",
                        "leave it out, for 2 more bytes a parameter")
               : noHits();
}

LintHits removedFusion(const LintView& view) {
    const LintFile& file = view.file;
    return file.has("--cross-entropy-loss-fusion") &&
                   file.text("--cross-entropy-fusion-impl") == "te"
               ? oneHit(file,
                        "--cross-entropy-fusion-impl",
                        "the fused loss of Transformer Engine",
                        "--cross-entropy-fusion-impl native")
               : noHits();
}

LintHits groupedLatents(const LintView& view) {
    return view.file.has("--multi-latent-attention") && view.file.has("--group-query-attention")
               ? oneHit(view.file,
                        "--group-query-attention",
                        "latent attention with query groups",
                        "leave --group-query-attention out")
               : noHits();
}

LintHits unshardedFp8(const LintView& view) {
    const LintFile& file = view.file;
    const bool shards =
        file.has("--use-distributed-optimizer") || usesFsdp2(file) || usesMegatronFsdp(file);
    return file.has("--fp8-param-gather") && !shards
               ? oneHit(file,
                        "--fp8-param-gather",
                        "weights gathered in fp8 that are not sharded",
                        "--use-distributed-optimizer")
               : noHits();
}

LintHits twoChunkings(const LintView& view) {
    const LintFile& file = view.file;
    const LaunchKey* last = nullptr;
    int said = 0;
    for (const char* const flag : {"--num-layers-per-virtual-pipeline-stage",
                                   "--num-virtual-stages-per-pipeline-rank",
                                   "--pipeline-model-parallel-layout"}) {
        if (file.has(flag)) {
            last = file.at(flag);
            ++said;
        }
    }
    return said > 1 ? LintHits{{last, "chunks are said in two ways", "one of them"}} : noHits();
}

/// OptimizerParamScheduler; training counts where --lr-decay-… does not.
LintHits longWarmup(const LintView& view) {
    const LintFile& file = view.file;
    for (const char* const unit : {"iters", "samples"}) {
        const std::string warmup = std::string("--lr-warmup-") + unit;
        const std::string decay = std::string("--lr-decay-") + unit;
        const std::string whole = std::string("--train-") + unit;
        const std::string& end = file.has(decay) ? decay : whole;
        const std::int64_t first = file.whole(warmup, 0);
        const std::int64_t last = file.whole(end, 0);
        if (first > 0 && last > 0 && first >= last) {
            return {
                {file.at(warmup),
                 warmup + " " + std::to_string(first) + ", and " + end + " " + std::to_string(last),
                 "a " + warmup + " below " + std::to_string(last)}};
        }
    }
    return {};
}

/// What validate_args (megatron/training/arguments.py:1233-1262 of 0.19) asserts of a run that
/// trains, in iterations or in samples.
LintHits mixedUnits(const LintView& view) {
    constexpr std::array<const char*, 3> kOfSamples = {
        "--train-samples", "--lr-decay-samples", "--lr-warmup-samples"};
    constexpr std::array<const char*, 2> kOfIterations = {"--lr-decay-iters", "--lr-warmup-iters"};
    const LintFile& file = view.file;
    const bool trains = !file.has("--skip-train");
    const bool inIterations = trains && file.whole("--train-iters", 0) > 0;
    const bool inSamples = trains && file.whole("--train-samples", 0) > 0;
    LintHits hits;
    const auto add = [&](const char* other, const char* unit) {
        if (file.whole(other, 0) > 0) {
            hits.push_back(hitAt(file,
                                 other,
                                 std::string(other) + " beside " + unit,
                                 std::string("leave ") + other + " out"));
        }
    };
    for (const char* const other : kOfSamples) {
        if (inIterations) {
            add(other, "--train-iters");
        }
    }
    for (const char* const other : kOfIterations) {
        if (inSamples && !inIterations) {
            add(other, "--train-samples");
        }
    }
    return hits;
}

/// validate_args asserts it (arguments.py:1320 of 0.19), and so does the scheduler.
LintHits risingRate(const LintView& view) {
    const LintFile& file = view.file;
    const std::optional<double> rate = file.number("--lr");
    const std::optional<double> least = file.number("--min-lr");
    return rate && least && *least > *rate
               ? LintHits{hitAt(
                     file,
                     "--min-lr",
                     "--min-lr " + file.text("--min-lr") + " is above --lr " + file.text("--lr"),
                     "--min-lr " + decimalText(*rate / 10.0) + ", or a higher --lr")}
               : LintHits{};
}

/// validate_args sets it before it looks at --recompute-granularity (arguments.py:589 of 0.19).
LintHits overriddenGranularity(const LintView& view) {
    const LintFile& file = view.file;
    return file.has("--recompute-activations") && file.text("--recompute-granularity") == "full"
               ? LintHits{hitAt(file,
                                "--recompute-activations",
                                "--recompute-activations beside --recompute-granularity full",
                                "leave --recompute-activations out")}
               : LintHits{};
}

/// validate_args asserts it whatever positions are (arguments.py:1314 of 0.19); Bridge and NeMo,
/// which do not call it, do not.
LintHits fewPositions(const LintView& view) {
    const LintFile& file = view.file;
    if (file.opened().words != MegatronWords::Arguments) {
        return {};
    }
    const std::int64_t length = file.whole("--seq-length", 0);
    const std::int64_t positions = file.whole("--max-position-embeddings", 0);
    if (length <= 0 || positions <= 0 || positions >= length) {
        return {};
    }
    return {{file.at("--max-position-embeddings"),
             "--max-position-embeddings " + std::to_string(positions) + ", and --seq-length " +
                 std::to_string(length),
             "--max-position-embeddings " + std::to_string(length)}};
}

constexpr std::array kMegatronRunRules = {
    LintRule{"MG20",
             LintSeverity::Error,
             "fp16 and bf16 together",
             "Megatron ends at the start.",
             &halvesOfMegatron},
    LintRule{"MG21",
             LintSeverity::Warning,
             "training in fp32",
             "Products run at a sixteenth of the rate of bf16, or half of it with TF32.",
             &fullMegatron,
             true},
    LintRule{"MG22",
             LintSeverity::Error,
             "recomputation that is not said whole",
             "Megatron ends at the start.",
             &wrongRecompute},
    LintRule{"MG23",
             LintSeverity::Error,
             "distributed activations without their ranks",
             "Megatron ends at the start.",
             &distributedActivations},
    LintRule{"MG24",
             LintSeverity::Error,
             "overlapped gathers of what is not sharded",
             "Megatron ends at the start.",
             &unsupportedGather},
    LintRule{"MG25",
             LintSeverity::Error,
             "an optimizer that is not aware of its precisions",
             "Megatron ends at the start.",
             &unawareOptimizer},
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
    LintRule{"MG29",
             LintSeverity::Error,
             "a wrong CUDA_DEVICE_MAX_CONNECTIONS",
             "Megatron ends at the start.",
             &wrongConnections},
    LintRule{"MG30",
             LintSeverity::Warning,
             "CUDA_DEVICE_MAX_CONNECTIONS left to the cluster",
             "Megatron ends at the start where nobody sets it to 1.",
             &unsetConnections},
    LintRule{"MG31",
             LintSeverity::Error,
             "overlapped products without sequence parallelism",
             "Megatron ends at the start.",
             &unoverlappedTensor},
    LintRule{"MG32",
             LintSeverity::Warning,
             "tokens by all-gather",
             "Every rank gets the tokens of all: communication grows with the ranks.",
             &gatheredTokens},
    LintRule{"MG33",
             LintSeverity::Warning,
             "experts one after another",
             "Small products leave most of the GPU idle.",
             &oneExpertATime},
    LintRule{"MG34",
             LintSeverity::Note,
             "a router in bf16",
             "Close scores are rounded to the same: tokens change their experts without reason.",
             &roundedRouter},
    LintRule{"MG35",
             LintSeverity::Error,
             "one expert a token, softmax after the choice",
             "Its weight would always be 1: Megatron ends at the start.",
             &singleChoice},
    LintRule{"MG36",
             LintSeverity::Error,
             "experts whose communication cannot be overlapped",
             "Megatron ends at the start.",
             &unoverlappableExperts},
    LintRule{"MG37",
             LintSeverity::Error,
             "offloaded activations beside what excludes them",
             "Megatron ends at the start.",
             &offloadedLayers},
    LintRule{
        "MG38",
        LintSeverity::Warning,
        "states that nobody shards",
        "Adam's states take 12 bytes a parameter on every rank, instead of 12 on all together.",
        &wholeStates,
        true},
    LintRule{"MG39",
             LintSeverity::Warning,
             "gradients that are waited for",
             "They could be sent beside the backward pass.",
             &waitingGradients,
             true},
    LintRule{"MG40",
             LintSeverity::Error,
             "fp4 and fp8 together",
             "Megatron ends at the start.",
             &twoLowPrecisions},
    LintRule{"MG41",
             LintSeverity::Warning,
             "gradients in a narrow fp8",
             "e4m3 ends at 448: with one scale a tensor small gradients become zero.",
             &narrowGradients},
    LintRule{"MG42",
             LintSeverity::Warning,
             "fp8 with scales of the past",
             "A value that grows within a step overflows; losses diverged so.",
             &staleScales},
    LintRule{"MG43",
             LintSeverity::Warning,
             "fp4 in the first and last layers",
             "They are the most sensitive to rounding; the published recipes keep them in bf16.",
             &roundedEnds},
    LintRule{"MG44",
             LintSeverity::Warning,
             "gradients of many ranks summed in bf16",
             "Its 8 bits lose small gradients in a large sum: the loss may stop falling.",
             &roundedSums},
    LintRule{"MG45",
             LintSeverity::Warning,
             "a fusion that was withdrawn",
             "It was unstable: newer releases end at the start.",
             &removedFusion},
    LintRule{"MG46",
             LintSeverity::Error,
             "latent attention with groups",
             "Megatron ends at the start.",
             &groupedLatents},
    LintRule{"MG47",
             LintSeverity::Error,
             "fp8 gathers of what is not sharded",
             "Megatron ends at the start.",
             &unshardedFp8},
    LintRule{"MG48",
             LintSeverity::Error,
             "chunks said in two ways",
             "Megatron ends at the start.",
             &twoChunkings},
    LintRule{"MG51",
             LintSeverity::Error,
             "a warmup that is no shorter than the decay",
             "The scheduler ends the run at the start: its warmup is part of its decay.",
             &longWarmup},
    LintRule{"MG52",
             LintSeverity::Error,
             "sequences longer than the positions",
             "Megatron ends at the start.",
             &fewPositions},
    LintRule{"MG53",
             LintSeverity::Error,
             "a run in iterations and in samples",
             "Megatron ends at the start: its lengths are all of one or all of the other.",
             &mixedUnits},
    LintRule{"MG54",
             LintSeverity::Error,
             "a least learning rate above the first",
             "Megatron ends at the start.",
             &risingRate},
    LintRule{"MG55",
             LintSeverity::Warning,
             "full recomputation that is made selective",
             "--recompute-activations sets the granularity, whatever it was: more memory is kept.",
             &overriddenGranularity},
    LintRule{"MG57",
             LintSeverity::Error,
             "weights of 8 bits that nobody gathers",
             "Megatron ends at the start.",
             &gathersWhole}};

}  // namespace

std::span<const LintRule> megatronRunRules() {
    return kMegatronRunRules;
}

}  // namespace fabricast
