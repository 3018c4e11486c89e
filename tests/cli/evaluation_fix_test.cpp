#include "cli/run_program.h"
#include "planner/text/text_files.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace fabricast {
namespace {

/// Steps and the evaluation, whose batch follows micro_batch_size, are both too large.
std::string axolotlFile() {
    const std::string file = tempFolder() + "evaluation.yaml";
    EXPECT_TRUE(writeTextFile(file,
                              "base_model: meta-llama/Llama-3.1-8B\nadapter: qlora\n"
                              "load_in_4bit: true\nlora_r: 16\n"
                              "lora_target_modules: [q_proj, v_proj]\nval_set_size: 0.05\n"
                              "evals_per_epoch: 4\nsequence_len: 2048\nmicro_batch_size: 8\n"
                              "gradient_accumulation_steps: 2\ngradient_checkpointing: true\n"
                              "optimizer: adamw_torch\nbf16: true\nflash_attention: true\n"));
    return file;
}

TEST(EvaluationFix, ComesAfterAnotherChangeInACheck) {
    const ProgramOutput output = ran("check " + axolotlFile() + " --gpu rtx-4090 --gpus 1");
    EXPECT_EQ(output.code, ExitCode::DoesNotFit) << output.err;
    const std::size_t fix = output.out.find("\nfix: ");
    ASSERT_NE(fix, std::string::npos) << output.out;
    EXPECT_NE(output.out.find("settings.phases.evaluation_batch=", fix), std::string::npos)
        << output.out;
}

/// A smaller batch of evaluation is a way out of what failed in one, and of no step of training.
TEST(EvaluationFix, IsOfferedWhereTrainingDidNotFail) {
    const auto ways = [](const std::string& call) {
        const std::string log = tempFolder() + "phase.log";
        EXPECT_TRUE(writeTextFile(
            log,
            "Traceback (most recent call last):\n  File \"trainer.py\", line 2548, in run\n    " +
                call +
                "\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB. GPU 0 "
                "has a total capacity of 23.64 GiB of which 1.32 GiB is free. Including "
                "non-PyTorch memory, this process has 22.30 GiB memory in use. Of the allocated "
                "memory 20.41 GiB is allocated by PyTorch, and 1.40 GiB is reserved by PyTorch "
                "but unallocated.\n"));
        return ran("oom " + axolotlFile() + " --gpu rtx-4090 --gpus 1 --no-fail --message", {log});
    };
    const ProgramOutput training = ways("tr_loss_step = self.training_step(model, inputs)");
    ASSERT_EQ(training.code, ExitCode::Ok) << training.err;
    EXPECT_NE(training.out.find("micro_batch="), std::string::npos) << training.out;
    EXPECT_EQ(training.out.find("evaluation_batch"), std::string::npos) << training.out;
    const ProgramOutput evaluation = ways("output = self.evaluation_loop(");
    EXPECT_NE(evaluation.out.find("evaluation_batch"), std::string::npos) << evaluation.out;
}

/// The steps fit, and an evaluation, eight samples of which go at once, does not.
std::string trainerFiles() {
    const std::string folder = tempFolder() + "evaluated/";
    std::filesystem::create_directories(folder);
    EXPECT_TRUE(writeTextFile(folder + "accelerate.yaml",
                              "distributed_type: FSDP\nfsdp_config:\n  fsdp_version: 2\n"
                              "  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n"
                              "  fsdp_offload_params: false\n"
                              "  fsdp_reshard_after_forward: true\n"
                              "  fsdp_activation_checkpointing: true\n"
                              "mixed_precision: bf16\nnum_machines: 1\nnum_processes: 4\n"));
    EXPECT_TRUE(writeTextFile(
        folder + "sft.py",
        "from trl import SFTTrainer, SFTConfig\nconfig = SFTConfig(output_dir='out', "
        "per_device_train_batch_size=1, gradient_accumulation_steps=8, max_length=8192, bf16=True, "
        "eval_strategy='steps', eval_steps=200)\nSFTTrainer('Qwen/Qwen2.5-7B', args=config, "
        "train_dataset=train, eval_dataset=test).train()\n"));
    return folder + "accelerate.yaml " + folder + "sft.py -c dgx-h100 --gpus 4";
}

/// Two changes that fail alone and need neither another training nor other hardware come first,
/// though a step of more hardware is nearer.
TEST(EvaluationFix, IsOfferedWithAnotherChangeBeforeTrainingsAndHardware) {
    std::string files = trainerFiles();
    files.replace(files.find("-c dgx-h100"), std::string("-c dgx-h100").size(), "--gpu l40s");
    const std::string ways = ran("explain " + files).out;
    const std::size_t first = ways.find("\n  --");
    ASSERT_NE(first, std::string::npos) << ways;
    const std::string line = ways.substr(first, ways.find('\n', first + 1) - first);
    EXPECT_NE(line.find("offload=parameters_cpu"), std::string::npos) << ways;
    EXPECT_NE(line.find("settings.phases.evaluation_batch="), std::string::npos) << ways;
    EXPECT_EQ(line.find("cluster.gpus"), std::string::npos) << ways;
    EXPECT_EQ(line.find("settings.torch.sync"), std::string::npos) << "it fits without";
}

TEST(EvaluationFix, IsFoundByEveryCommandThatSaysWhatWouldHelp) {
    const std::string files = trainerFiles();
    const std::string explained = ran("explain " + files).out;
    EXPECT_TRUE(explained.starts_with("DOES NOT FIT")) << explained;
    const std::string fix = "--set settings.phases.evaluation_batch=";
    EXPECT_NE(explained.find(fix), std::string::npos) << explained;
    const std::string planned = ran("plan " + files).out;
    const std::size_t help = planned.find("what would help");
    ASSERT_NE(help, std::string::npos) << planned;
    const std::size_t freely = planned.find("\nfree ", help);
    ASSERT_NE(freely, std::string::npos) << planned;
    EXPECT_NE(planned.find(fix, freely), std::string::npos) << planned;
    const std::size_t next = planned.find("\nnext: ");
    ASSERT_NE(next, std::string::npos) << planned;
    EXPECT_NE(planned.find(fix, next), std::string::npos) << planned;
    const std::string advised = ran("advise " + files).out;
    EXPECT_NE(advised.find("a smaller evaluation batch (settings.phases.evaluation_batch="),
              std::string::npos)
        << advised;
}

TEST(EvaluationFix, IsSaidInTheWordsOfTheFile) {
    const ProgramOutput axolotl = ran("lint " + axolotlFile() + " --gpu rtx-4090 --gpus 1");
    EXPECT_NE(axolotl.out.find("gradient_accumulation_steps: 16, eval_batch_size: "),
              std::string::npos)
        << axolotl.out;
    const std::string script = tempFolder() + "evaluation.sh";
    ASSERT_TRUE(writeTextFile(script,
                              "python train.py --model_name_or_path meta-llama/Llama-3.2-1B --bf16 "
                              "--eval_strategy steps --per_device_train_batch_size 1 "
                              "--max_seq_length 4096 --gradient_checkpointing\n"));
    const ProgramOutput trainer = ran("lint " + script + " --gpu rtx-4090 --gpus 1");
    EXPECT_NE(trainer.out.find("Fix: --per_device_eval_batch_size 1 "), std::string::npos)
        << trainer.out;
}

}  // namespace
}  // namespace fabricast
