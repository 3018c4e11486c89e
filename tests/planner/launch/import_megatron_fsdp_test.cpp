#include "planner/launch/import_launch.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

/// What is read of 16 ranks of Megatron-LM with these arguments, or why nothing is.
std::string fsdpRead(const std::string& more, std::string_view part, std::string_view key) {
    const std::string start =
        "torchrun --nnodes 2 --nproc-per-node 8 pretrain_gpt.py --micro-batch-size 1 ";
    const auto noOther = [](const std::string& name) -> Result<std::string> {
        return fail(Error::Code::NotFound, name, "is not there");
    };
    const auto run = importLaunch(start + more + "\n", "a.sh", {.read = noOther, .layers = {}});
    if (!run) {
        return run.error().text();
    }
    const JsonValue* const section = part.empty() ? &*run : run->find(part);
    const JsonValue* const value = section == nullptr ? nullptr : section->find(key);
    std::string notes;
    if (value != nullptr && value->is(JsonValue::Kind::Array)) {
        for (const JsonValue& one : value->items()) {
            notes += one.text().value_or("") + "\n";
        }
    }
    return value == nullptr ? "-" : notes.empty() ? value->shown() : notes;
}

TEST(ImportOfMegatronFsdp, NamesItsStackAndWhatItSplits) {
    const std::string asks = "--use-megatron-fsdp --use-distributed-optimizer ";
    const std::string strategy = asks + "--data-parallel-sharding-strategy ";
    EXPECT_EQ(fsdpRead(asks, "", "stack"), "\"megatron-fsdp\"");
    EXPECT_EQ(fsdpRead("--use-custom-fsdp", "", "stack"), "\"megatron-fsdp\"");
    EXPECT_EQ(fsdpRead("--use-distributed-optimizer", "", "stack"), "\"megatron\"");
    EXPECT_EQ(fsdpRead(asks, "layout", "shard"), "\"fsdp\"");
    EXPECT_EQ(fsdpRead(strategy + "optim_grads", "layout", "shard"), "\"zero2\"");
    EXPECT_EQ(fsdpRead(strategy + "optim", "layout", "shard"), "\"zero1\"");
    EXPECT_EQ(fsdpRead(strategy + "no_shard", "layout", "shard"), "\"none\"");
    EXPECT_NE(fsdpRead(asks, "imported", "notes").find("from Megatron-Core 0.18 on"),
              std::string::npos);
    EXPECT_NE(fsdpRead(strategy + "all", "layout", "shard")
                  .find("--data-parallel-sharding-strategy \"all\" is no strategy"),
              std::string::npos);
}

TEST(ImportOfMegatronFsdp, SharesOutRanksAmongInstances) {
    const std::string two = "--use-megatron-fsdp --num-distributed-optimizer-instances 2 ";
    EXPECT_EQ(fsdpRead(two, "layout", "shard"), "\"hsdp\"");
    EXPECT_EQ(fsdpRead(two, "layout", "shard_size"), "8");
    EXPECT_EQ(fsdpRead(two + "--tensor-model-parallel-size 2", "layout", "shard_size"), "4");
    EXPECT_NE(
        fsdpRead("--use-megatron-fsdp --num-distributed-optimizer-instances 3", "layout", "dp")
            .find("3 does not divide the 16 data and context ranks"),
        std::string::npos);
    EXPECT_NE(fsdpRead(two + "--outer-dp-sharding-strategy optim", "layout", "dp")
                  .find("--outer-dp-sharding-strategy \"optim\" is not modelled"),
              std::string::npos);
}

}  // namespace
}  // namespace fabricast
