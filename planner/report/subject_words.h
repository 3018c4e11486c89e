#pragma once
#include "planner/spec/scenario.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace fabricast {

/// A run's layout as it is printed, and as --layout reads it back: the keys that differ from 1,
/// none and off, and those that are so where the stack's default is another.
std::string layoutWords(const Scenario& scenario);

/// What an answer is about, in one line: model, cluster, stack, layout, batch.
std::string subjectText(const Scenario& scenario);

/// Whether a section has a subject line: the first of several does.
enum class Subject { Said, Left };
/// The line of a section's text, or nothing.
/// How it is trained: "bf16 adamw", "bf16 adamw, LoRA rank 16 over nf4".
std::string trainingText(const Settings& settings);
std::string subjectLine(const Scenario& scenario, Subject subject);

/// "16 x dgx-h100 (128 h100-sxm5-80gb)".
std::string clusterText(const ClusterSpec& cluster);

/// The words for a group along an axis; its short name if there are none.
inline std::string_view axisWords(std::string_view axis) {
    constexpr std::array kWords = {
        std::pair<std::string_view, std::string_view>{"tp", "tensor"},
        std::pair<std::string_view, std::string_view>{"cp", "context"},
        std::pair<std::string_view, std::string_view>{"dp", "data"},
        std::pair<std::string_view, std::string_view>{"dp-cp", "data and context"},
        std::pair<std::string_view, std::string_view>{"pp", "pipeline"},
        std::pair<std::string_view, std::string_view>{"tp-cp", "tensor and context"},
        std::pair<std::string_view, std::string_view>{"embedding", "first and last stage"},
        std::pair<std::string_view, std::string_view>{"etp", "expert tensor"},
        std::pair<std::string_view, std::string_view>{"ep", "expert"},
        std::pair<std::string_view, std::string_view>{"etp-ep", "expert tensor and expert"},
        std::pair<std::string_view, std::string_view>{"edp", "expert data"},
        std::pair<std::string_view, std::string_view>{"shard", "shard group"},
        std::pair<std::string_view, std::string_view>{"replicate", "shard replicas"},
        std::pair<std::string_view, std::string_view>{"expert-shard", "expert shard group"},
        std::pair<std::string_view, std::string_view>{"expert-replicate", "expert shard replicas"},
        std::pair<std::string_view, std::string_view>{"stage", "whole stage"},
        std::pair<std::string_view, std::string_view>{"tp-pp", "tensor and pipeline"},
        std::pair<std::string_view, std::string_view>{"expert-model", "one copy of the experts"},
        std::pair<std::string_view, std::string_view>{"optimizer-instance",
                                                      "stages of a shard group"},
        std::pair<std::string_view, std::string_view>{"world", "all ranks"},
        std::pair<std::string_view, std::string_view>{"cp-inner", "context, inside"},
        std::pair<std::string_view, std::string_view>{"cp-outer", "context, across"}};
    const auto found = std::ranges::find(kWords, axis, &decltype(kWords)::value_type::first);
    return found == kWords.end() ? axis : found->second;
}

}  // namespace fabricast
