#include "planner/launch/import_launch.h"
#include "planner/text/json_builder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast {
namespace {

struct Refused {
    const char* source;
    const char* text;
    const char* hint;
};

// What is refused can be mended where it stands: the hint is no help page.
TEST(RefusedLaunchFiles, SayWhatToWrite) {
    const std::vector<Refused> refused = {
        {"ds.json", R"({"train_batch_size": 8, "bf16": {"enabled": "maybe"}})", "true, or false"},
        {"ds.json",
         R"({"train_batch_size": 8, "zero_optimization": {"stage": 4}})",
         "\"stage\": 3"},
        {"ds.json",
         R"({"train_batch_size": 9, "train_micro_batch_size_per_gpu": 2,
             "gradient_accumulation_steps": 2})",
         "leave it out: it follows from the other two and the ranks"},
        {"a.yaml", "base_model: a/b\nmicro_batch_size: 1.5\n", "write its digits"},
        {"a.yaml", "base_model: a/b\nbf16: half\n", "bf16: auto"},
        {"acc.yaml",
         "distributed_type: MULTI_GPU\nmixed_precision: half\n",
         "mixed_precision: bf16"},
        {"t.toml",
         "[parallelism]\npipeline_parallel_degree = 2\npipeline_parallel_schedule = \"x\"\n",
         "1F1B, or Interleaved1F1B"},
        {"run.sh",
         "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 20 "
         "--pipeline-model-parallel-size 4 --num-layers-per-virtual-pipeline-stage 6",
         "a number of layers that does, or leave it out"}};
    for (const Refused& one : refused) {
        const auto run = importLaunch(one.text, one.source, {.read = {}, .layers = {}});
        ASSERT_FALSE(run) << one.text;
        EXPECT_EQ(run.error().hint, one.hint) << run.error().text();
    }
}

// Words that YAML, pydantic and argparse take for a switch.
TEST(RefusedLaunchFiles, HaveNoSwitchInOtherWords) {
    for (const char* const word : {"True", "TRUE", "yes", "On", "1", "y"}) {
        const std::string yaml = "base_model: a/b\nbf16: " + std::string(word) +
                                 "\ngradient_checkpointing: " + word + "\n";
        const auto run = importLaunch(yaml, "a.yaml", {.read = {}, .layers = {}});
        ASSERT_TRUE(run) << word << ": " << run.error().text();
        EXPECT_NE(JsonBuilder::written(*run).find("\"full\""), std::string::npos) << word;
    }
}

}  // namespace
}  // namespace fabricast
