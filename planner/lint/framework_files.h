#pragma once
#include "planner/lint/lint_rule.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fabricast {

// What files of one framework say, for the rules that look at them.

/// DeepSpeed's stage of ZeRO; 0 where none is said.
std::int64_t zeroStage(const LintFile& file);
/// Whether DeepSpeed offloads "offload_param" or "offload_optimizer": to `device`, or anywhere.
bool zeroOffloads(const LintFile& file, const std::string& what, std::string_view device = "");

/// How many ranks torchtitan splits an axis over: "tensor_parallel".
std::int64_t titanDegree(const LintFile& file, const std::string& axis, std::int64_t usual = 1);

/// Whether Accelerate shards by FSDP, of either kind.
bool accelerateUsesFsdp(const LintFile& file);

/// Whether Axolotl shards by FSDP, of either kind.
bool axolotlShards(const LintFile& file);
bool axolotlUsesFsdp2(const LintFile& file);
/// Whether Python would take what the key says for true.
bool axolotlTakesAsTrue(const LintFile& file, const std::string& key);

/// Nothing, or one of the words that a framework takes.
bool isUnsetOrOneOf(const std::string& value, std::span<const std::string_view> words);

}  // namespace fabricast
