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

constexpr std::array kMegatronModelRules = {LintRule{
    "MG50",
    LintSeverity::Warning,
    "heads that are rotated otherwise than the model's",
    "It has the same weights and computes something else: what was trained before is lost.",
    &otherRotation,
    true}};

}  // namespace

std::span<const LintRule> megatronModelRules() {
    return kMegatronModelRules;
}

}  // namespace fabricast
