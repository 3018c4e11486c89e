#include "planner/lint/megatron_sizes.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

LintHits gatheredTokens(const LintView& view) {
    const std::string type = view.file.text("--moe-token-dispatcher-type");
    const bool gathers = type.empty() || type == "allgather";
    return megatronSizes(view).ep > 1 && gathers
               ? hitsAt(
                     view.file,
                     type.empty() ? "--expert-model-parallel-size" : "--moe-token-dispatcher-type",
                     type.empty() ? "tokens go by all-gather, which is the default"
                                  : "tokens go by all-gather",
                     "--moe-token-dispatcher-type alltoall, or flex with DeepEP")
               : LintHits();
}

LintHits oneExpertATime(const LintView& view) {
    const MegatronSizes sizes = megatronSizes(view);
    return sizes.experts / std::max<std::int64_t>(1, sizes.ep) > 1 &&
                   !view.file.has("--moe-grouped-gemm")
               ? hitsAt(view.file,
                        "--num-experts",
                        std::to_string(sizes.experts / sizes.ep) +
                            " experts of a rank are computed one after another",
                        "--moe-grouped-gemm")
               : LintHits();
}

LintHits roundedRouter(const LintView& view) {
    constexpr std::int64_t kMany = 32;
    return megatronSizes(view).experts >= kMany && !view.file.has("--moe-router-dtype")
               ? hitsAt(view.file,
                        "--num-experts",
                        "the router chooses among " + view.file.text("--num-experts") +
                            " experts in bf16",
                        "--moe-router-dtype fp32")
               : LintHits();
}

LintHits singleChoice(const LintView& view) {
    const LintFile& file = view.file;
    const std::string score = file.text("--moe-router-score-function");
    const bool softmax = score.empty() || score == "softmax";
    const bool sinkhorn = file.text("--moe-router-load-balancing-type") == "sinkhorn";
    return file.whole("--moe-router-topk", 2) == 1 && softmax && !sinkhorn &&
                   file.has("--num-experts") && !file.has("--moe-router-pre-softmax")
               ? hitsAt(file,
                        "--moe-router-topk",
                        "one expert a token, with the softmax after the choice",
                        "--moe-router-pre-softmax")
               : LintHits();
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
    return what == nullptr ? LintHits()
                           : hitsAt(file, flag, std::string(flag) + " " + what, "one of the two");
}

LintHits groupedLatents(const LintView& view) {
    return view.file.has("--multi-latent-attention") && view.file.has("--group-query-attention")
               ? hitsAt(view.file,
                        "--group-query-attention",
                        "latent attention with query groups",
                        "leave --group-query-attention out")
               : LintHits();
}

constexpr std::array kMegatronExpertRules = {
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
    LintRule{"MG46",
             LintSeverity::Error,
             "latent attention with groups",
             "Megatron ends at the start.",
             &groupedLatents}};

}  // namespace

std::span<const LintRule> megatronExpertRules() {
    return kMegatronExpertRules;
}

}  // namespace fabricast
