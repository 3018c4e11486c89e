#include "planner/search/find_plans.h"
#include "planner/search/lower_bounds.h"
#include "tests/planner/search/search_example.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast {
namespace {

using namespace literals;

const std::vector<std::string> kStacks = {"fsdp2", "megatron", "deepspeed", "torchtitan"};

/// Where anything fits there is room for the states; and not everywhere.
TEST(StateFloors, LeaveOutNoClusterOnWhichAnythingFits) {
    int leftOut = 0;
    for (const std::string& stack : kStacks) {
        for (const char* model : {"llama-3.1-8b", "qwen3-30b-a3b"}) {
            for (const Bytes memory : {1_GiB, 3_GiB, 6_GiB, 12_GiB}) {
                for (const std::int64_t gpus : {1, 4}) {
                    SearchTask task = taskOf(
                        {.model = model, .layers = 2, .gpus = gpus, .memory = memory}, {stack});
                    task.base.cluster.node.hostMemory = {.value = 8_GiB};
                    const bool fits =
                        !findPlans(task, exampleTiming(), {.top = 1}).value().plans.empty();
                    const bool hasRoom = hasRoomFor(stateFloors(task), task.base.cluster);
                    EXPECT_TRUE(hasRoom || !fits) << stack << " " << model << " " << gpus;
                    leftOut += hasRoom ? 0 : 1;
                }
            }
        }
    }
    EXPECT_GT(leftOut, 8);
}

/// 16 bytes of each of 8 billion parameters, in host memory or on the GPUs.
TEST(StateFloors, CountTheHostWhereStatesMayLieThere) {
    SearchTask task = taskOf({.layers = 32, .gpus = 8, .memory = 12_GiB}, {"fsdp2"});
    task.base.cluster.node.hostMemory = {.value = 256_GiB};
    EXPECT_TRUE(hasRoomFor(stateFloors(task), task.base.cluster));
    task.base.cluster.node.hostMemory = {.value = 64_GiB};
    EXPECT_FALSE(hasRoomFor(stateFloors(task), task.base.cluster));
    task.base.cluster.node.hostMemory = {};  // nobody knows
    EXPECT_TRUE(hasRoomFor(stateFloors(task), task.base.cluster));
}

}  // namespace
}  // namespace fabricast
