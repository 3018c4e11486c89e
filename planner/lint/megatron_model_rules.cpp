#include "planner/launch/launch_files.h"
#include "planner/lint/megatron_sizes.h"

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

constexpr std::array kMegatronModelRules = {
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
