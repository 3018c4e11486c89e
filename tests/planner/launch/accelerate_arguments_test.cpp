#include "planner/launch/hugging_face_arguments.h"
#include "tests/planner/launch/launch_example.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

std::string launchRead(const LaunchFolder& folder, const std::string& path) {
    return readFrom(folder, "run.sh", path);
}

const std::string kTrainer =
    " run_clm.py --model_name_or_path a/b --per_device_train_batch_size 1 --bf16 --output_dir o\n";

TEST(AccelerateArguments, ShardWithoutAFile) {
    const auto read = [](const std::string& typed, const std::string& path) {
        return launchRead({{"run.sh", "accelerate launch --num_processes 8 " + typed + kTrainer}},
                          path);
    };
    const std::string fsdp = "--use_fsdp --fsdp_version 2 --fsdp_reshard_after_forward ";
    EXPECT_EQ(read(fsdp + "true", "layout.shard"), "\"fsdp\"");
    EXPECT_EQ(read(fsdp + "true", "layout.dp"), "8");
    EXPECT_EQ(read(fsdp + "false", "settings.torch.reshard"), "\"never\"");
    EXPECT_EQ(read("--use-fsdp --fsdp-version=2 --fsdp-offload-params true", "layout.offload"),
              "\"parameters_cpu\"");
    EXPECT_EQ(read("--use_deepspeed --zero_stage 3", "layout.shard"), "\"zero3\"");
    EXPECT_EQ(read("--use_deepspeed", "layout.shard"), "\"zero2\"");
    EXPECT_EQ(
        read("--use_deepspeed --zero_stage 2 --offload_optimizer_device cpu", "layout.offload"),
        "\"optimizer_cpu\"");
    EXPECT_EQ(read("--multi_gpu --dynamo_backend inductor", "settings.kernels.compile"), "true");
    EXPECT_EQ(read("--multi_gpu --dynamo_backend no", "settings.kernels.compile"), "-");
    const std::string mesh = "--parallelism_config_tp_size 4";
    EXPECT_EQ(read("--use_fsdp --fsdp_version 2 --use_parallelism_config " + mesh, "layout.tp"),
              "4");
    EXPECT_EQ(read("--use_fsdp --fsdp_version 2 " + mesh, "layout.tp"),
              "run.sh:1:65: parallelism_config.parallelism_config_tp_size is ignored without "
              "--use_parallelism_config (--use_parallelism_config)");
}

TEST(AccelerateArguments, WinOverTheFile) {
    LaunchFolder folder = {
        {"run.sh", "accelerate launch --config_file a.yaml --fsdp_offload_params true" + kTrainer},
        {"a.yaml",
         "distributed_type: FSDP\nnum_processes: 4\nmixed_precision: bf16\n"
         "fsdp_config: {fsdp_version: 2, fsdp_offload_params: false}\n"},
        {"ds.json",
         R"({"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": "auto"})"}};
    EXPECT_EQ(launchRead(folder, "layout.offload"), "\"parameters_cpu\"");
    folder["run.sh"] =
        "accelerate launch --config_file a.yaml --mixed_precision fp16 train.py --lr 1\n";
    EXPECT_EQ(launchRead(folder, "workload.precision"), "\"fp16\"");
    folder["run.sh"] = "accelerate launch --num_processes 4 --use_fsdp train.py\n";
    EXPECT_EQ(launchRead(folder, "layout.shard"), "\"fsdp\"");
    EXPECT_EQ(launchRead(folder, "layout.dp"), "4");
    folder["run.sh"] =
        "accelerate launch --use_deepspeed --deepspeed_config_file ds.json" + kTrainer;
    EXPECT_EQ(launchRead(folder, "layout.shard"), "\"zero3\"");
    folder["run.sh"] =
        "trl sft --model_name_or_path a/b --output_dir o --use_deepspeed "
        "--zero_stage 3 --num_processes 4\n";
    EXPECT_EQ(launchRead(folder, "layout.shard"), "\"zero3\"");
}

TEST(AccelerateArguments, AreRefusedByName) {
    const auto whyNot = [](const std::string& typed) {
        return launchRead({{"run.sh", "accelerate launch " + typed + kTrainer}}, "layout.dp");
    };
    EXPECT_EQ(whyNot("--use_fdsp"),
              "run.sh:1:19: --use_fdsp is not an argument of accelerate launch (arguments of the "
              "script stand behind its name)");
    EXPECT_EQ(whyNot("--use_megatron_lm"),
              "run.sh:1:19: --use_megatron_lm of accelerate launch is not modelled (leave it out: "
              "the forecast is then of a run without it)");
    const LaunchFolder axolotl = {
        {"run.sh", "accelerate launch --use_fsdp -m axolotl.cli.train a.yaml\n"},
        {"a.yaml", "base_model: a/b\nmicro_batch_size: 2\n"}};
    EXPECT_EQ(launchRead(axolotl, "layout.shard"),
              "run.sh:1:19: distributed_type FSDP of accelerate launch beside Axolotl's own file "
              "is not read (fsdp_config or deepspeed in a.yaml)");
    LaunchFolder both = axolotl;
    both["a.yaml"] += "fsdp_version: 2\nfsdp_config: {reshard_after_forward: true}\n";
    EXPECT_EQ(launchRead(both, "layout.shard"), "\"fsdp\"");
}

}  // namespace
}  // namespace fabricast
