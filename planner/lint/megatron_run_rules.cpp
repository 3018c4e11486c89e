#include "planner/lint/megatron_sizes.h"

#include <array>

namespace fabricast {
namespace {

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
        return hitsAt(file,
                      method ? "--recompute-method" : "--recompute-num-layers",
                      std::string(method ? "a method" : "a number of layers") +
                          " with selective recomputation",
                      file.has("--recompute-activations")
                          ? "leave --recompute-activations out: it is selective whatever "
                            "--recompute-granularity says"
                          : "leave it out, or --recompute-granularity full");
    }
    if (granularity == "full" && (!method || !layers)) {
        return hitsAt(file,
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
               ? LintHits()
               : hitsAt(file,
                        flag,
                        "distributed activations without tensor ranks, full recomputation, or "
                        "beside --sequence-parallel",
                        megatronSizes(view).tp > 1
                            ? "leave --distribute-saved-activations out, --sequence-parallel"
                            : "leave --distribute-saved-activations out");
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
                              : LintHits();
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
               : LintHits();
}

LintHits unoverlappedTensor(const LintView& view) {
    const bool holds = view.file.has("--sequence-parallel") && megatronSizes(view).tp > 1;
    return view.file.has("--tp-comm-overlap") && !holds
               ? hitsAt(view.file,
                        "--tp-comm-overlap",
                        "--tp-comm-overlap without --sequence-parallel",
                        megatronSizes(view).tp > 1 ? "--sequence-parallel"
                                                   : "leave --tp-comm-overlap out")
               : LintHits();
}

LintHits offloadedLayers(const LintView& view) {
    const LintFile& file = view.file;
    const char* const flag = "--cpu-offloading-num-layers";
    const bool pipeline = megatronSizes(view).pp > 1;
    const bool refused = pipeline || file.has("--recompute-granularity");
    return file.whole(flag, 0) > 0 && refused
               ? hitsAt(file,
                        flag,
                        std::string("offloaded activations with ") +
                            (pipeline ? "a pipeline" : "recomputation"),
                        "one of the two")
               : LintHits();
}

LintHits removedFusion(const LintView& view) {
    const LintFile& file = view.file;
    return file.has("--cross-entropy-loss-fusion") &&
                   file.text("--cross-entropy-fusion-impl") == "te"
               ? hitsAt(file,
                        "--cross-entropy-fusion-impl",
                        "the fused loss of Transformer Engine",
                        "--cross-entropy-fusion-impl native")
               : LintHits();
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
    return said > 1 ? LintHits{{last, "chunks are said in two ways", "one of them"}} : LintHits();
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

constexpr std::array kMegatronRunRules = {
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
    LintRule{"MG37",
             LintSeverity::Error,
             "offloaded activations beside what excludes them",
             "Megatron ends at the start.",
             &offloadedLayers},
    LintRule{"MG45",
             LintSeverity::Warning,
             "a fusion that was withdrawn",
             "It was unstable: newer releases end at the start.",
             &removedFusion},
    LintRule{"MG48",
             LintSeverity::Error,
             "chunks said in two ways",
             "Megatron ends at the start.",
             &twoChunkings},
    LintRule{"MG55",
             LintSeverity::Warning,
             "full recomputation that is made selective",
             "--recompute-activations sets the granularity, whatever it was: more memory is kept.",
             &overriddenGranularity}};

}  // namespace

std::span<const LintRule> megatronRunRules() {
    return kMegatronRunRules;
}

}  // namespace fabricast
