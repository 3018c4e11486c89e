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
    EXPECT_EQ(writtenInJson(file, keys),
              "\"zero_optimization\": {\"stage\": 3, \"offload_optimizer\": {\"device\": "
              "\"cpu\", \"pin_memory\": true}}, \"train_batch_size\": 16");
}

}  // namespace
}  // namespace fabricast
