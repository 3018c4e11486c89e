#include "planner/launch/import_megatron.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace fabricast {
namespace {

constexpr int kOldest = 14;
constexpr int kNewest = 19;

/// Arguments, and values of them, that came after 0.14 (megatron/training/arguments.py).
struct FirstRelease {
    std::string_view flag;
    std::string_view value;  ///< empty: any
    int release;
};
constexpr std::array kFirst = {
    FirstRelease{"--fp4-format", "", 15},
    FirstRelease{"--fp4-recipe", "", 15},
    FirstRelease{"--cuda-graph-impl", "", 15},
    FirstRelease{"--cuda-graph-impl", "full_iteration", 18},
    FirstRelease{"--use-transformer-engine-op-fuser", "", 18},
    FirstRelease{"--window-size", "", 15},
    FirstRelease{"--window-attn-skip-freq", "", 15},
    FirstRelease{"--softmax-type", "", 15},
    FirstRelease{"--quick-geglu", "", 15},
    FirstRelease{"--glu-linear-offset", "", 15},
    FirstRelease{"--activation-func-clamp-value", "", 15},
    FirstRelease{"--cpu-offloading-num-layers", "", 16},
    FirstRelease{"--moe-flex-dispatcher-backend", "", 16},
    FirstRelease{"--moe-shared-expert-gate", "", 16},
    FirstRelease{"--moe-mlp-glu-interleave-size", "", 18},
    FirstRelease{"--optimizer", "muon", 16},
    FirstRelease{"--optimizer", "lion", 17},
    FirstRelease{"--moe-router-load-balancing-type", "global_aux_loss", 15}};

}  // namespace

Result<int> megatronRelease(const std::string& version) {
    std::string_view text = version;
    for (const std::string_view prefix : {"v", "0."}) {
        if (text.starts_with(prefix)) {
            text.remove_prefix(prefix.size());
        }
    }
    int release = 0;
    const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), release);
    const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
    const bool isPatch = rest.empty() || rest.starts_with(".");
    if (trouble != std::errc() || !isPatch || release < kOldest || release > kNewest) {
        return fail(Error::Code::BadInput,
                    "--framework-version",
                    "the arguments of Megatron-Core \"" + version + "\" are not known",
                    std::string(kMegatronVersions));
    }
    return release;
}

int firstReleaseOf(std::string_view flag, std::string_view value) {
    int first = kOldest;
    for (const FirstRelease& one : kFirst) {
        if (one.flag == flag && (one.value.empty() || one.value == value)) {
            first = std::max(first, one.release);
        }
    }
    return first;
}

}  // namespace fabricast
