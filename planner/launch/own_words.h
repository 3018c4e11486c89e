#pragma once
#include "planner/launch/launch_keys.h"
#include "planner/launch/opened_file.h"

#include <cstddef>
#include <span>
#include <string>

namespace fabricast {

// Files of NeMo and Megatron Bridge are looked at as Megatron's arguments. What is said of them is
// said in the file's own keys.

/// A text about Megatron's arguments in a file's own words: "without --sequence-parallel" is
/// "without model.sequence_parallel: true" of NeMo's YAML. What it has no key for stays.
std::string inOwnWords(const OpenedFile& file, const std::string& text);

/// "optimizer.fused=False" of "optimizer: {fused: False}": a key of YAML as torchtune takes what is
/// typed. Other text stays.
std::string asTyped(const std::string& text);

/// What a person would write into the file for this key of its: "--micro-batch-size 2",
/// "training.seq_len = 4096", "gradient_checkpointing: true".
std::string writtenKey(const OpenedFile& file, const LaunchKey& key);
/// Keys of JSON and YAML in the braces of their sections: `"bf16": {"enabled": true}`. The first
/// letters of each path, which surround them all, are left out.
std::string writtenInMaps(const OpenedFile& file,
                          std::span<const LaunchKey> keys,
                          std::size_t before = 0);

}  // namespace fabricast
