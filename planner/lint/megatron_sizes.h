#pragma once
#include "planner/lint/lint_rule.h"

#include <cstdint>
#include <optional>
#include <string>

namespace fabricast {

/// The sizes that Megatron's arguments say, by their defaults where they do not.
struct MegatronSizes {
    std::int64_t tp = 1;
    std::int64_t pp = 1;
    std::int64_t cp = 1;
    std::int64_t ep = 1;
    std::int64_t etp = 1;           ///< tp where nobody says
    std::int64_t weightShards = 1;  ///< --tensor-parallel-num-weight-shards over tp
    std::int64_t chunks = 1;        ///< model chunks of a rank
    std::int64_t experts = 0;
    std::optional<std::int64_t> layers{};
    std::optional<std::int64_t> heads{};
    std::optional<std::int64_t> sequence{};
    std::int64_t microBatch = 1;
    std::optional<std::int64_t> batch{};
    std::optional<std::int64_t> ranks{};
    bool sequenceParallel = false;

    /// Data ranks, where the ranks are known and divide.
    [[nodiscard]] std::optional<std::int64_t> dataRanks() const;
};

/// Sizes are at least 1 and at most a million, so that products of a few fit.
MegatronSizes megatronSizes(const LintView& view);

/// Whether Megatron or torch shards the weights in the way of FSDP.
bool usesFsdp2(const LintFile& file);
bool usesMegatronFsdp(const LintFile& file);

/// What a hit points at: the argument, or the file where it is not there.
LintHit hitAt(const LintFile& file, const char* flag, std::string what, std::string fix);
LintHits hitsAt(const LintFile& file, const char* flag, std::string what, std::string fix);

}  // namespace fabricast
