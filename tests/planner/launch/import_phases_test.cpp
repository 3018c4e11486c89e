#include "planner/launch/import_launch.h"
#include "planner/text/json_strings.h"
#include "tests/planner/launch/launch_example.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace fabricast {
namespace {

struct PhasesRead {
    std::string batch = "-";
    std::string kept = "-";
    std::string allocator = "-";
    std::string maxSplitMb = "-";
    std::string divisions = "-";
    std::string notes;
};

Result<std::string> noPhasesFile(const std::string& name) {
    return fail(Error::Code::NotFound, name, "is not there");
}

PhasesRead phasesRead(const std::string& text, const std::string& source) {
    const auto run = importLaunch(text, source, {.read = noPhasesFile, .layers = {}});
    if (!run) {
        ADD_FAILURE() << run.error().text();
        return {};
    }
    PhasesRead read;
    const JsonValue* const settings = run->find("settings");
    const JsonValue* const phases = settings == nullptr ? nullptr : settings->find("phases");
    const auto shown = [](const JsonValue* group, std::string_view key) {
        const JsonValue* const value = group == nullptr ? nullptr : group->find(key);
        return value == nullptr ? std::string("-") : value->shown();
    };
    read.batch = shown(phases, "evaluation_batch");
    read.kept = shown(phases, "kept_logits");
    read.allocator = shown(settings, "allocator");
    read.maxSplitMb = shown(settings, "max_split_size_mb");
    read.divisions = shown(settings, "roundup_power2_divisions");
    for (const char* const key : {"notes", "assumed"}) {
        for (const std::string& note : stringsIn(run->find("imported")->find(key))) {
            read.notes += note + "\n";
        }
    }
    return read;
}

PhasesRead ofScript(const std::string& arguments, const std::string& before = "") {
    return phasesRead(before +
                          "\ntorchrun --nproc_per_node 8 run_clm.py --model_name_or_path a/b "
                          "--per_device_train_batch_size 2 --block_size 512 " +
                          arguments + "\n",
                      "run.sh");
}

PhasesRead ofProgram(const std::string& arguments, const std::string& trainer) {
    return phasesRead("args = TrainingArguments(\"o\", " + arguments +
                          ")\nt = Trainer(model=m, args=args, " + trainer + ")\n",
                      "train.py");
}

bool says(const PhasesRead& read, std::string_view words) {
    return read.notes.find(words) != std::string::npos;
}

// transformers 5.23: eval_strategy is "no", per_device_eval_batch_size 8.
TEST(ImportOfPhases, ReadsTheEvaluationOfATrainer) {
    EXPECT_EQ(ofScript("").batch, "-");
    EXPECT_EQ(ofScript("--eval_strategy no --per_device_eval_batch_size 4").batch, "-");
    EXPECT_EQ(ofScript("--eval_strategy steps").batch, "8");
    EXPECT_EQ(ofScript("--evaluation_strategy epoch --per_device_eval_batch_size 4").batch, "4");
    EXPECT_EQ(ofScript("--do_eval --per_device_eval_batch_size 1").batch, "1");
    EXPECT_EQ(ofScript("--do_eval False").batch, "-");
    EXPECT_EQ(ofProgram("do_eval=True", "x=1").batch, "8");
}

// With the argument --use_liger_kernel a Trainer that asks for the loss alone says skip_logits. A
// plugin does not tell it, and with metrics the logits are asked for.
TEST(ImportOfPhases, ReadsTheEvaluationThatMakesLogitsBesideLigersLoss) {
    const std::string axolotl =
        "base_model: a/b\nmicro_batch_size: 2\nsequence_len: 512\nval_set_size: 0.05\n"
        "evals_per_epoch: 4\nplugins:\n  - axolotl.integrations.liger.LigerPlugin\n"
        "liger_fused_linear_cross_entropy: true\n";
    EXPECT_EQ(phasesRead(axolotl, "axolotl.yaml").batch, "2");
    const std::string liger = "eval_strategy=\"steps\", use_liger_kernel=True";
    EXPECT_EQ(ofProgram(liger, "x=1").batch, "-");
    EXPECT_EQ(ofProgram(liger, "compute_metrics=f").batch, "8");
    EXPECT_EQ(ofProgram(liger, "compute_metrics=f, preprocess_logits_for_metrics=g").batch, "-");
}

TEST(ImportOfPhases, LeavesWhatIsNotModelledAndSaysSo) {
    const PhasesRead liger = ofScript("--eval_strategy steps --use_liger_kernel");
    EXPECT_EQ(liger.batch, "-");
    EXPECT_TRUE(says(liger, "the evaluation (--eval_strategy) is not looked at")) << liger.notes;
    const PhasesRead later = ofScript("--eval_strategy steps --per_device_eval_batch_size $B");
    EXPECT_EQ(later.batch, "-");
    EXPECT_TRUE(says(later, "worked out when the run starts")) << later.notes;
}

// A Trainer without compute_metrics asks for the loss alone.
TEST(ImportOfPhases, KeepsLogitsWhereMetricsAreComputed) {
    const std::string evaluates = "eval_strategy=\"steps\"";
    const std::string moves = evaluates + ", eval_accumulation_steps=4";
    const std::string metrics = "compute_metrics=measure";
    EXPECT_EQ(ofProgram(moves, "x=1").kept, "-");
    EXPECT_EQ(ofProgram(moves, metrics).kept, "4");
    EXPECT_EQ(ofProgram(moves + ", prediction_loss_only=True", metrics).kept, "-");
    EXPECT_EQ(ofProgram(moves, metrics + ", preprocess_logits_for_metrics=best").kept, "-");
    EXPECT_EQ(ofProgram(evaluates + ", batch_eval_metrics=True", metrics).kept, "1");
    const PhasesRead all = ofProgram(evaluates, metrics);
    EXPECT_EQ(all.kept, "4");  // how many there are is not known: more than none
    EXPECT_TRUE(says(all, "all of an evaluation's batches")) << all.notes;
    const PhasesRead script = ofScript("--eval_strategy steps --eval_accumulation_steps 4");
    EXPECT_EQ(script.kept, "-");
    EXPECT_TRUE(says(script, "settings.phases.kept_logits=4")) << script.notes;
    EXPECT_FALSE(says(ofProgram("bf16=True", metrics), "compute_metrics"));
}

// Of data that are split for the evaluation the number of batches follows, or is asked for.
TEST(ImportOfPhases, KeepsTheLogitsOfDataThatAreSplit) {
    const auto read = [](const std::string& size, const std::string& more, const char* path) {
        return readFrom({{"train.py",
                          "s = ds.train_test_split(test_size=" + size +
                              ")\nargs = TrainingArguments(\"o\", eval_strategy=\"steps\", "
                              "per_device_eval_batch_size=4" +
                              more + ")\nt = Trainer(model=m, args=args, compute_metrics=f)\n"},
                         {"run.sh", "torchrun --nproc_per_node 8 train.py\n"}},
                        "run.sh",
                        path);
    };
    const char* const kept = "settings.phases.kept_logits";
    const char* const why = "imported.open.settings.phases.kept_logits.why";
    EXPECT_EQ(read("1000", "", kept), "32");  // of 32 samples on 8 ranks
    EXPECT_EQ(read("1000", "", why), "-");
    EXPECT_EQ(read("0.1", "", kept), "-");
    EXPECT_EQ(read("0.1", "", why).substr(0, 10), "\"test_size");
    EXPECT_EQ(read("0.1", ", eval_accumulation_steps=2", kept), "2");
    EXPECT_EQ(read("0.1", ", eval_accumulation_steps=2", why), "-");
}

TEST(ImportOfPhases, ReadsAxolotlsNames) {
    const std::string file = "base_model: a/b\nmicro_batch_size: 2\nsequence_len: 512\n";
    const auto batch = [&file](const std::string& more) {
        return phasesRead(file + more, "axolotl.yaml").batch;
    };
    EXPECT_EQ(batch("val_set_size: 0.05\nevals_per_epoch: 4\n"), "2");
    EXPECT_EQ(batch("val_set_size: 0.05\neval_steps: 50\neval_batch_size: 6\n"), "6");
    EXPECT_EQ(batch("val_set_size: 0.0\neval_steps: 50\n"), "-");
    EXPECT_EQ(batch("val_set_size: 0.05\n"), "-");
    // Releases of Axolotl until 2025: an evaluation set and no steps mean "epoch".
    const auto isSaid = [&file](const std::string& more) {
        return says(phasesRead(file + more, "axolotl.yaml"), "no evaluation is counted");
    };
    EXPECT_TRUE(isSaid("val_set_size: 0.05\neval_batch_size: 8\n"));
    EXPECT_FALSE(isSaid("val_set_size: 0.05\neval_strategy: no\n"));
    EXPECT_FALSE(isSaid("val_set_size: 0.05\nevals_per_epoch: 4\n"));
    EXPECT_FALSE(isSaid("val_set_size: 0.0\n"));
}

// torchtitan 0.2.2: [validation] has a batch of 8 and 2048 tokens of its own.
TEST(ImportOfPhases, ReadsTorchtitansValidation) {
    const auto read = [](const std::string& more) {
        return phasesRead(
            "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\n"
            "local_batch_size = 2\nseq_len = 4096\n"
            "[activation_checkpoint]\nmode = \"full\"\n[validation]\n" +
                more,
            "train.toml");
    };
    EXPECT_EQ(read("enable = false\nlocal_batch_size = 64\n").batch, "-");
    EXPECT_EQ(read("enable = true\nlocal_batch_size = 64\nseq_len = 4096\n").batch, "64");
    EXPECT_EQ(read("enable = true\nlocal_batch_size = 2\nseq_len = 4096\n").batch, "-");
    const PhasesRead usual = read("enable = true\n");
    EXPECT_EQ(usual.batch, "4");
    EXPECT_TRUE(says(usual, "16384 tokens, is counted as 4 sequences of 4096")) << usual.notes;
}

/// Lengths are taken as asked for, so what sorts by them changes nothing of the forecast.
TEST(ImportOfPhases, ReadsOnWhereLengthsAreGrouped) {
    const PhasesRead read =
        ofProgram("bf16=True, group_by_length=True, torch_empty_cache_steps=4", "train_dataset=d");
    EXPECT_TRUE(says(read, "group_by_length")) << read.notes;
    EXPECT_TRUE(says(read, "torch_empty_cache_steps")) << read.notes;
}

TEST(ImportOfPhases, NotesCheckpointsOfWholeWeights) {
    const std::string fsdp =
        "distributed_type: FSDP\nnum_processes: 8\nfsdp_config:\n  fsdp_version: 2\n"
        "  fsdp_state_dict_type: ";
    EXPECT_TRUE(says(phasesRead(fsdp + "FULL_STATE_DICT\n", "accelerate.yaml"), "whole weights"));
    EXPECT_FALSE(
        says(phasesRead(fsdp + "SHARDED_STATE_DICT\n", "accelerate.yaml"), "whole weights"));
    const auto zero = [](const std::string& stage) {
        return phasesRead(
            "{\"train_micro_batch_size_per_gpu\": 1, \"zero_optimization\": {\"stage\": " + stage +
                ", \"stage3_gather_16bit_weights_on_model_save\": true}}",
            "deepspeed.json");
    };
    EXPECT_TRUE(says(zero("3"), "stage3_gather_16bit_weights_on_model_save"));
    EXPECT_FALSE(says(zero("2"), "stage3_gather_16bit_weights_on_model_save"));
}

TEST(ImportOfPhases, ReadsTheAllocatorOfAScript) {
    const std::string set = "export PYTORCH_CUDA_ALLOC_CONF=";
    EXPECT_EQ(ofScript("").allocator, "-");
    EXPECT_EQ(ofScript("", set + "expandable_segments:True").allocator, "\"expandable_segments\"");
    EXPECT_EQ(ofScript("", set + "expandable_segments:False").allocator, "-");
    const PhasesRead split = ofScript("", set + "max_split_size_mb:128,expandable_segments:True");
    EXPECT_EQ(split.allocator, "\"expandable_segments\"");
    EXPECT_EQ(split.maxSplitMb, "128");
    EXPECT_EQ(split.notes.find("max_split_size_mb"), std::string::npos) << split.notes;
    const PhasesRead rounded =
        ofScript("", set + "max_split_size_mb:128,roundup_power2_divisions:8,backend:native");
    EXPECT_EQ(rounded.maxSplitMb, "128");
    EXPECT_EQ(rounded.divisions, "8");
    EXPECT_TRUE(says(rounded, "backend:native is not looked at")) << rounded.notes;
    EXPECT_EQ(ofScript("", set + "max_split_size_mb:128MB").maxSplitMb, "128");  // as stoull reads
    EXPECT_EQ(ofScript("", "export PYTORCH_HIP_ALLOC_CONF=max_split_size_mb:64").maxSplitMb, "64");
}

// torch 2.15: torch._C._accelerator_getAllocatorSettings() with two of them set.
TEST(ImportOfPhases, TakesTheVariableOfTheAllocatorThatPyTorchTakes) {
    const std::string newest = "export PYTORCH_ALLOC_CONF=max_split_size_mb:64\n";
    const std::string hip = "export PYTORCH_HIP_ALLOC_CONF=max_split_size_mb:32\n";
    const std::string cuda = "export PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:48\n";
    EXPECT_EQ(ofScript("", newest).maxSplitMb, "64");
    EXPECT_EQ(ofScript("", newest + hip).maxSplitMb, "32");
    EXPECT_EQ(ofScript("", newest + hip + cuda).maxSplitMb, "48");
}

TEST(ImportOfPhases, ReadsTheAllocatorWhereverItIsSet) {
    const std::string grows = "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True";
    for (const std::string& before : {"/usr/bin/env -u CUDA_HOME NCCL_DEBUG=WARN " + grows + " \\",
                                      "mpirun -np 8 -x " + grows + " \\",
                                      "srun env " + grows + " \\"}) {
        EXPECT_EQ(ofScript("", before).allocator, "\"expandable_segments\"") << before;
    }
    const auto allocator = [](const std::string& line) {
        return phasesRead(line + "\nargs = TrainingArguments(\"o\", bf16=True)\n", "train.py")
            .allocator;
    };
    EXPECT_EQ(allocator("os.environ[\"PYTORCH_CUDA_ALLOC_CONF\"] = \"expandable_segments:True\""),
              "\"expandable_segments\"");
    EXPECT_EQ(allocator("environ.setdefault('PYTORCH_ALLOC_CONF', 'expandable_segments:True')"),
              "\"expandable_segments\"");
    EXPECT_EQ(allocator("os.environ[\"PYTORCH_CUDA_ALLOC_CONF\"] = chosen()"), "-");
}

TEST(ImportOfPhases, NotesWhatAProcessHoldsOrWaitsForThatIsNotModelled) {
    const std::string eager = "CUDA_MODULE_LOADING=EAGER is not modelled";
    EXPECT_TRUE(says(ofScript("", "export CUDA_MODULE_LOADING=EAGER"), eager));
    EXPECT_FALSE(says(ofScript("", "export CUDA_MODULE_LOADING=LAZY"), "CUDA_MODULE_LOADING"));
    EXPECT_TRUE(says(ofScript("", "export PYTORCH_NO_CUDA_MEMORY_CACHING=1"),
                     "PYTORCH_NO_CUDA_MEMORY_CACHING=1 is not modelled"));
    EXPECT_FALSE(says(ofScript("", "export CUDA_LAUNCH_BLOCKING=0"), "CUDA_LAUNCH_BLOCKING"));
}

TEST(ImportOfPhases, NotesWhatPyTorchRefusesOfItsAllocator) {
    const PhasesRead read =
        ofScript("", "export PYTORCH_ALLOC_CONF=expandable_segments:true,max_split_size_mb:128");
    EXPECT_EQ(read.allocator, "-");
    EXPECT_EQ(read.maxSplitMb, "128");
    EXPECT_TRUE(says(read, "PyTorch refuses expandable_segments:true")) << read.notes;
}

}  // namespace
}  // namespace fabricast
