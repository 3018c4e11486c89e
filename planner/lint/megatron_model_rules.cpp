#include "planner/launch/launch_files.h"
#include "planner/lint/megatron_sizes.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fabricast {
namespace {

/// Whether positions are rotated, as validate_args (megatron/training/arguments.py) has it.
bool rotatesPositions(const LintFile& file) {
    return file.text("--position-embedding-type") == "rope" ||
           file.has("--use-rotary-position-embeddings");
}

LintHits otherRotation(const LintView& view) {
    constexpr double kPercent = 100.0;
    const char* const flag = "--rotary-percent";
    const double said = view.file.number(flag).value_or(1.0) * kPercent;
    const auto model = static_cast<double>(view.facts.rotatedPercent.value_or(0));
    if (!view.facts.rotatedPercent || !rotatesPositions(view.file) ||
        std::abs(said - model) < 1.0) {
        return {};
    }
    const std::string share = decimalText(model / kPercent);
    return {hitAt(view.file,
                  view.file.has(flag) ? flag : "--position-embedding-type",
                  "--rotary-percent is " + decimalText(said / kPercent) +
                      (view.file.has(flag) ? "" : " (default)") + ", and the model rotates " +
                      share + " of each head",
                  "--rotary-percent " + share)};
}

/// 500000 of 500000.0, as Megatron's parser takes it.
std::string wholeText(double value) {
    return std::floor(value) == value && value < 1e15
               ? std::to_string(static_cast<std::int64_t>(value))
               : decimalText(value);
}

/// The default is 10000 (megatron/training/arguments.py:2335 of 0.19).
LintHits otherBase(const LintView& view) {
    constexpr double kUsual = 10'000.0;
    const char* const flag = "--rotary-base";
    const double model = view.facts.rotaryBase.value_or(0.0);
    const double said = view.file.number(flag).value_or(kUsual);
    const bool isUnknown = view.file.has(flag) && !view.file.number(flag);
    const bool isTyped = view.file.opened().words == MegatronWords::Arguments;
    if (!isTyped || model <= 0.0 || isUnknown || !rotatesPositions(view.file) || said == model) {
        return {};
    }
    return {hitAt(view.file,
                  view.file.has(flag) ? flag : "--position-embedding-type",
                  "--rotary-base is " + wholeText(said) +
                      (view.file.has(flag) ? "" : " (default)") + ", and the model's is " +
                      wholeText(model),
                  "--rotary-base " + wholeText(model))};
}

/// Both are 0.1 unless they are said (megatron/core/transformer/transformer_config.py:181 of 0.19).
LintHits unaskedDropout(const LintView& view) {
    const LintFile& file = view.file;
    if (file.opened().words != MegatronWords::Arguments || view.facts.dropout != 0.0) {
        return {};
    }
    std::string what;
    std::string fix;
    for (const char* const flag : {"--attention-dropout", "--hidden-dropout"}) {
        if (!file.has(flag)) {
            what += (what.empty() ? "" : " and ") + std::string(flag);
            fix += (fix.empty() ? "" : " ") + std::string(flag) + " 0";
        }
    }
    return what.empty()
               ? LintHits{}
               : LintHits{{nullptr, what + " default to 0.1, and the model has no dropout", fix}};
}

/// check_and_set_env_variable of megatron/core/models/common/language_module: what each backend
/// asks of NVTE_FLASH_ATTN, NVTE_FUSED_ATTN and NVTE_UNFUSED_ATTN.
struct BackendSwitches {
    std::string_view backend;
    std::array<std::string_view, 3> values;
};
constexpr std::array kBackendSwitches = {BackendSwitches{"flash", {"1", "0", "0"}},
                                         BackendSwitches{"fused", {"0", "1", "0"}},
                                         BackendSwitches{"unfused", {"0", "0", "1"}},
                                         BackendSwitches{"local", {"0", "0", "0"}},
                                         BackendSwitches{"auto", {"1", "1", "1"}}};
constexpr std::array<const char*, 3> kAttentionSwitches = {
    "NVTE_FLASH_ATTN", "NVTE_FUSED_ATTN", "NVTE_UNFUSED_ATTN"};

LintHits otherAttentionSwitches(const LintView& view) {
    const std::string said = view.file.text("--attention-backend");
    const std::string backend = said.empty() ? "auto" : said;
    const auto* const found =
        std::ranges::find(kBackendSwitches, backend, &BackendSwitches::backend);
    LintHits hits;
    for (std::size_t i = 0; found != kBackendSwitches.end() && i < kAttentionSwitches.size(); ++i) {
        const std::string name = kAttentionSwitches[i];
        const LaunchKey* const key = view.file.at("env " + name);
        const std::string value = key == nullptr ? "" : view.file.text("env " + name);
        const bool isKnown = !value.empty() && !value.starts_with("$");
        if (isKnown && value != found->values[i]) {
            hits.push_back({key,
                            name + " is " + value + ", and --attention-backend " + backend +
                                (said.empty() ? " (default)" : "") + " asks for " +
                                std::string(found->values[i]),
                            "leave it unset: --attention-backend alone chooses"});
        }
    }
    return hits;
}

/// DynamicGradScaler of megatron/core/optimizer/grad_scaler.py.
LintHits scaledByNothing(const LintView& view) {
    const char* const flag = "--initial-loss-scale";
    const std::optional<double> scale = view.file.number(flag);
    return view.file.has("--fp16") && scale && *scale <= 0.0
               ? LintHits{{view.file.at(flag),
                           std::string(flag) + " " + view.file.text(flag) + " with --fp16",
                           "leave it out: 4294967296"}}
               : LintHits{};
}

constexpr std::array kMegatronModelRules = {
    LintRule{"MG61",
             LintSeverity::Error,
             "a loss that is scaled by nothing",
             "Megatron-Core ends with an assertion when it makes the optimizer.",
             &scaledByNothing},
    LintRule{"MG60",
             LintSeverity::Error,
             "attention that the environment chooses otherwise than the arguments",
             "Megatron-Core ends with an assertion when it makes the model.",
             &otherAttentionSwitches},
    LintRule{"MG50",
             LintSeverity::Warning,
             "heads that are rotated otherwise than the model's",
             "It has the same weights and computes something else: what was trained before is "
             "lost.",
             &otherRotation,
             true},
    LintRule{"MG58",
             LintSeverity::Warning,
             "positions that are rotated by another base than the model's",
             "It has the same weights and computes something else: what was trained before is "
             "lost.",
             &otherBase,
             true},
    LintRule{"MG59",
             LintSeverity::Warning,
             "dropout that the model does not have",
             "Activations of every layer are masked, and the masks are kept for the backward pass.",
             &unaskedDropout,
             true}};

}  // namespace

std::span<const LintRule> megatronModelRules() {
    return kMegatronModelRules;
}

}  // namespace fabricast
