#pragma once
#include "planner/lint/lint_file.h"
#include "planner/result/lint_report.h"
#include "planner/spec/size_divisions.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// One place where a rule does not hold.
struct LintHit {
    const LaunchKey* at = nullptr;  ///< null: the file as a whole
    std::string what;               ///< what the file says: "stage is 2, and offload_param is set"
    std::string fix;                ///< what to write
};
using LintHits = std::vector<LintHit>;

/// What is known of the run beside its files; nothing where nobody says.
struct LintFacts {
    std::optional<std::int64_t> gpus{};       ///< ranks, of all nodes
    std::optional<std::int64_t> dataRanks{};  ///< of them, with samples of their own
    std::optional<std::int64_t> gpusPerNode{};
    SaidSizes model{};                             ///< of the model that is trained
    std::optional<std::int64_t> rotatedPercent{};  ///< of each head, by its position
    std::optional<double> rotaryBase{};            ///< that its config names
    std::optional<double> dropout{};               ///< of its config, where that says any
    std::optional<std::int64_t> positions{};       ///< that it was made for
    std::optional<bool> isBlackwell{};
    std::optional<std::int64_t> capability{};  ///< compute capability, 70 for 7.0
    std::string layerClass{};                  ///< of transformers' code of the model, if known
    std::optional<double> shardShare{};        ///< of a forecast step, in communication of shards
};

/// What a rule looks at: one file, beside those that belong to it.
struct LintView {
    const LintFile& file;
    std::span<const LintFile> files;
    const LintFacts& facts;

    /// The first of a kind; null where there is none.
    [[nodiscard]] const LintFile* other(LaunchKind kind) const;
    /// How many ranks the files start.
    [[nodiscard]] std::optional<std::int64_t> started() const;
    /// How many ranks are started: as somebody says, else as the files do.
    [[nodiscard]] std::optional<std::int64_t> gpus() const;
};

/// Something that frameworks take in silence, and that is regretted later.
struct LintRule {
    std::string_view code;  ///< "DS06"
    LintSeverity severity = LintSeverity::Warning;
    std::string_view title;  ///< what it finds, in a line
    std::string_view why;    ///< what happens then
    LintHits (*look)(const LintView& view);
    /// It finds that something is not said: nobody knows where arguments are known to the shell
    /// alone.
    bool isOfMissing = false;
};

// The rules by what they look at.
std::span<const LintRule> namesRules();
std::span<const LintRule> repeatedRules();
std::span<const LintRule> valueRules();
std::span<const LintRule> sizeRules();
std::span<const LintRule> agreementRules();
std::span<const LintRule> launcherRules();
std::span<const LintRule> environmentRules();
std::span<const LintRule> deepspeedRules();
std::span<const LintRule> deepspeedZeroRules();
std::span<const LintRule> deepspeedRankRules();
std::span<const LintRule> accelerateRules();
std::span<const LintRule> accelerateFsdpRules();
std::span<const LintRule> axolotlRules();
std::span<const LintRule> axolotlAdapterRules();
std::span<const LintRule> axolotlShardRules();
std::span<const LintRule> titanRules();
std::span<const LintRule> titanLayoutRules();
std::span<const LintRule> megatronLayoutRules();
std::span<const LintRule> megatronRankRules();
std::span<const LintRule> megatronRunRules();
std::span<const LintRule> megatronPrecisionRules();
std::span<const LintRule> megatronShardRules();
std::span<const LintRule> megatronExpertRules();
/// Of learning rates, and of how long a run is.
std::span<const LintRule> megatronRateRules();
/// Of arguments that say another model than the one that is trained.
std::span<const LintRule> megatronModelRules();
std::span<const LintRule> trainerRules();
std::span<const LintRule> torchRules();
std::span<const LintRule> tuneRules();
/// Of the command that starts a recipe.
std::span<const LintRule> tuneStartRules();

}  // namespace fabricast
