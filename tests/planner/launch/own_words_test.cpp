#include "planner/launch/own_words.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast {
namespace {

LaunchKey keyThatSays(const std::string& path, const std::string& value) {
    return {.path = path, .values = {value}};
}

// What is printed can be pasted: sections have their braces, once for all of their keys.
TEST(OwnWords, OfJsonHaveTheBracesOfTheirSections) {
    const OpenedFile file{LaunchKind::Deepspeed, LaunchKeys("ds.json")};
    const std::vector<LaunchKey> keys = {
        keyThatSays("zero_optimization.stage", "3"),
        keyThatSays("train_batch_size", "16"),
        keyThatSays("zero_optimization.offload_optimizer.device", "cpu"),
        keyThatSays("zero_optimization.offload_optimizer.pin_memory", "true")};
    EXPECT_EQ(writtenKey(file, keys[0]), "\"zero_optimization\": {\"stage\": 3}");
    EXPECT_EQ(writtenInMaps(file, keys),
              "\"zero_optimization\": {\"stage\": 3, \"offload_optimizer\": {\"device\": "
              "\"cpu\", \"pin_memory\": true}}, \"train_batch_size\": 16");
}

// A dotted key is no key of YAML's: a parser takes it for one whose name has a dot.
TEST(OwnWords, OfYamlHaveTheBracesOfTheirSections) {
    const OpenedFile file{LaunchKind::Accelerate, LaunchKeys("accelerate.yaml")};
    const std::vector<LaunchKey> keys = {
        keyThatSays("fsdp_config.fsdp_offload_params", "true"),
        keyThatSays("mixed_precision", "bf16"),
        keyThatSays("fsdp_config.fsdp_activation_checkpointing", "true")};
    EXPECT_EQ(writtenKey(file, keys[0]), "fsdp_config: {fsdp_offload_params: true}");
    EXPECT_EQ(writtenKey(file, keys[1]), "mixed_precision: bf16");
    EXPECT_EQ(writtenInMaps(file, keys),
              "fsdp_config: {fsdp_offload_params: true, fsdp_activation_checkpointing: true}, "
              "mixed_precision: bf16");
}

}  // namespace
}  // namespace fabricast
