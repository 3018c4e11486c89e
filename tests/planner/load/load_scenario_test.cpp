#include "planner/load/asked_batch.h"
#include "planner/load/load_question.h"
#include "planner/request/settings_json.h"
#include "planner/spec/names.h"
#include "planner/spec/setting_names.h"
#include "planner/text/json_builder.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fabricast {
namespace {

const char* const kModel = FABRICAST_SOURCE_DIR "/tests/cases/params/Llama-3.2-1B.json";

Result<LoadedScenario> load(const std::string& text) {
    FABRICAST_ASSIGN(const JsonValue root, parseJson(text, "s.json"));
    return loadScenario(root, ProfileStore::builtIn(), {});
}

/// A scenario of our small model with more keys.
Result<LoadedScenario> loadWith(const std::string& more) {
    return load("{\"model\": \"" + std::string(kModel) + "\",\n" + more + "}");
}

std::string why(const std::string& more) {
    const auto loaded = loadWith(more);
    return loaded ? "" : loaded.error().text();
}

TEST(LoadScenario, DefaultsComeFromTheStackAndWhatIsSaidGoesOverThem) {
    const auto loaded = loadWith(R"("cluster": {"name": "dgx-h100", "nodes": 2},
        "stack": "megatron", "workload": {"sequence": 2048, "global_batch": 64},
        "layout": "tp=4,recompute=full", "settings": {"precision": {"reduce": "bf16"}})");
    ASSERT_TRUE(loaded) << loaded.error().text();
    const Scenario& scenario = loaded->scenario;
    EXPECT_EQ(scenario.layout.world(), 16);
    EXPECT_EQ(scenario.layout.dp, 4);
    EXPECT_EQ(scenario.layout.shard, Shard::Zero1);
    EXPECT_EQ(scenario.settings.engine, Engine::Megatron);
    EXPECT_EQ(scenario.settings.precision.reduce, Dtype::Bf16);
    EXPECT_EQ(scenario.settings.precision.gradients, Dtype::Fp32);
    EXPECT_EQ(scenario.settings.recompute.kind, Checkpointing::Full);
    EXPECT_EQ(scenario.microBatches(), 16);
    EXPECT_EQ(loaded->assumed,
              std::vector<std::string>{"micro_batch 1 (default; --layout micro_batch= sets it)"});
}

TEST(LoadScenario, WhatNobodySaidIsAssumedAloud) {
    const auto loaded = loadWith(R"("cluster": "dgx-h100")");
    ASSERT_TRUE(loaded) << loaded.error().text();
    EXPECT_EQ(loaded->scenario.cluster.gpus(), 8);
    EXPECT_EQ(loaded->scenario.workload.sequence, 4096);
    EXPECT_EQ(loaded->assumed.size(), 4U);  // stack, sequence, microbatch, global batch
}

TEST(LoadScenario, SaysThatProductsInFp32AreTakenAsTf32) {
    const auto isNoted = [](const std::string& stack, const char* gpu, const std::string& more) {
        const auto loaded = loadWith(
            "\"cluster\": {\"gpu\": \"" + std::string(gpu) + "\", \"gpus\": 1}, \"stack\": \"" +
            stack + "\", \"workload\": {\"precision\": \"fp32\"}, \"settings\": {" + more + "}");
        EXPECT_TRUE(loaded) << loaded.error().text();
        return loaded && std::ranges::any_of(loaded->assumed, [](const std::string& one) {
                   return one.find("TF32") != std::string::npos;
               });
    };
    EXPECT_TRUE(isNoted("ddp", "a100-sxm4-80gb", ""));
    EXPECT_FALSE(isNoted("ddp", "v100-sxm2-32gb", ""));
    EXPECT_FALSE(isNoted("ddp", "a100-sxm4-80gb", R"("precision": {"tf32": true})"));
    EXPECT_FALSE(isNoted("ddp", "a100-sxm4-80gb", R"("precision": {"tf32": false})"));
    EXPECT_FALSE(isNoted("torchtitan", "a100-sxm4-80gb", ""));
    EXPECT_FALSE(isNoted("megatron", "a100-sxm4-80gb", "")) << "Transformer Engine's own";
}

/// What is assumed first, and the stack that it is about.
std::string usualStackOf(const std::string& model, const std::string& layout) {
    const auto loaded = load("{\"model\": \"" + model + R"(", "cluster": "dgx-h100", "layout": ")" +
                             layout + "\"}");
    if (!loaded) {
        return loaded.error().text();
    }
    const auto note = std::ranges::find_if(
        loaded->assumed, [](const std::string& one) { return one.starts_with("stack "); });
    return note == loaded->assumed.end() ? "" : *note;
}

TEST(LoadScenario, TheUsualStackHasCodeForTheModelAndTheKeysOfTheLayout) {
    EXPECT_EQ(usualStackOf("llama-3.1-8b", "dp=8"), "stack torchtitan (default)");
    const std::string why = " (default: torchtitan 0.2.2 and 0.3.0 have no code for glm-4-9b)";
    EXPECT_EQ(usualStackOf("glm-4-9b", "dp=8"), "stack fsdp2" + why);
    EXPECT_EQ(usualStackOf("glm-4-9b", "recompute=full"), "stack fsdp2" + why);
    EXPECT_EQ(usualStackOf("glm-4-9b", "tp=2"), "stack accelerate" + why);
    EXPECT_EQ(usualStackOf("glm-4-9b", "pp=2"), "stack deepspeed" + why);
    EXPECT_EQ(usualStackOf("glm-4-9b", "pp=2,vpp=2"), "stack torchtitan (default)");
    EXPECT_EQ(usualStackOf("qwen2.5-7b", "tp=2,pp=2"),
              "stack megatron (default: torchtitan 0.2.2 and 0.3.0 have no code for qwen2.5-7b)");
}

/// torchtitan's own loss is computed in chunks, with which no evaluation is modelled.
TEST(LoadScenario, TheUsualStackOfAnEvaluationIsOneThatItIsModelledOf) {
    const auto stackOf = [](const std::string& batch) {
        const auto loaded = load(R"({"model": "llama-3.1-8b", "cluster": "dgx-h100", )"
                                 R"("settings": {"phases": {"evaluation_batch": )" +
                                 batch + "}}}");
        return loaded ? loaded->scenario.stack : loaded.error().text();
    };
    EXPECT_EQ(stackOf("8"), "fsdp2");
    EXPECT_EQ(stackOf("0"), "torchtitan");
}

/// What of the settings follows the GPU: "fp16 native", or why not.
std::string onV100(const std::string& more) {
    const auto loaded =
        load(R"({"model": "llama-3.1-8b", "cluster": {"name": "8xv100-sxm2-32gb"})" + more + "}");
    if (!loaded) {
        return loaded.error().why;
    }
    const Settings& settings = loaded->scenario.settings;
    const bool isUnfused = settings.kernels.attention == AttentionKernel::Unfused;
    return loaded->scenario.stack + " " + std::string(nameOf(settings.precision.compute)) + " " +
           (isUnfused ? "unfused" : std::string(nameOf(settings.kernels.attentionCode)));
}

TEST(LoadScenario, DefaultsFollowTheGpu) {
    EXPECT_EQ(onV100(""), "fsdp2 fp16 native");
    EXPECT_EQ(onV100(R"(, "stack": "accelerate")"), "accelerate fp16 native");
    EXPECT_EQ(onV100(R"(, "stack": "megatron")"), "megatron fp16 unfused");
    EXPECT_EQ(onV100(R"(, "workload": {"precision": "fp32"})"), "torchtitan fp32 native");
    EXPECT_EQ(onV100(R"(, "workload": {"precision": "bf16"})"),
              "v100-sxm2-32gb has no matrix products in bf16");
    EXPECT_EQ(onV100(R"(, "stack": "torchtitan")"),
              "v100-sxm2-32gb has no matrix products in bf16");
    EXPECT_EQ(onV100(R"(, "stack": "ddp", "settings": {"kernels": {"attention_code": "flash2"}})"),
              "settings.kernels.attention_code: this FlashAttention requires compute capability "
              "8.0; v100-sxm2-32gb has 7.0");
    EXPECT_EQ(onV100(R"(, "stack": "megatron", "settings": {"kernels": {"attention": "flash"}})"),
              "settings.kernels.attention: Transformer Engine's fused attention requires compute "
              "capability 8.0; v100-sxm2-32gb has 7.0");
    EXPECT_EQ(onV100(R"(, "stack": "megatron", "layout": "cp=2")"),
              "layout.cp: Transformer Engine's unfused attention does not support context "
              "parallelism");
}

// A base is loaded, and DeepSpeed's adapters are cast, in the type that is multiplied in. A file
// that leaves its precision to the framework has the GPU's.
TEST(LoadScenario, AdaptersFollowTheGpu) {
    const auto typesOf = [](const std::string& more) {
        const auto loaded =
            load(R"({"model": "llama-3.1-8b", "cluster": {"name": "8xv100-sxm2-32gb"}, "stack": )" +
                 more + "}");
        if (!loaded) {
            return loaded.error().text();
        }
        const Settings& settings = loaded->scenario.settings;
        return std::string(nameOf(settings.precision.compute)) + " " +
               std::string(nameOf(settings.lora.base)) + " " +
               std::string(nameOf(settings.lora.dtype));
    };
    const std::string lora = R"(, "settings": {"tuning": "lora"})";
    EXPECT_EQ(typesOf(R"("axolotl")" + lora), "fp16 fp16 fp32");
    EXPECT_EQ(typesOf(R"("deepspeed", "layout": "shard=zero2")" + lora), "fp16 fp16 fp16");
    EXPECT_EQ(typesOf(R"("axolotl", "settings": {"tuning": "lora", "lora": {"base": "fp32"}})"),
              "fp16 fp32 fp32");
    EXPECT_EQ(typesOf(R"("fsdp2")"), "fp16 bf16 fp32");  // where there are none
    const std::string left =
        R"("fsdp2", "imported": {"from": "axolotl: a.yaml"}, "workload": {"precision": )";
    EXPECT_EQ(typesOf(left + R"("auto"})"), "fp16 bf16 fp32");
    EXPECT_EQ(typesOf(left + R"("bf16"})").find("no matrix products in bf16") != std::string::npos,
              true);
}

/// A hint leads to something that the GPU has.
TEST(LoadScenario, NobodyIsToldToComputeInWhatTheGpuHasNot) {
    const auto hint = [](const std::string& cluster, const std::string& more) {
        const auto loaded =
            load("{\"model\": \"gpt2\", \"cluster\": \"" + cluster + "\", " + more + "}");
        return loaded ? "taken" : loaded.error().hint;
    };
    const std::string axolotl =
        R"("stack": "axolotl", "layout": "shard=none", "settings": {"precision": {"compute":
           "fp16", "parameters": "fp16", "gradients": "fp16"}})";
    EXPECT_EQ(hint("dgx-h100", axolotl), "leave it out: --precision bf16, or tuning lora");
    EXPECT_EQ(hint("8xv100-sxm2-32gb", axolotl), "another GPU, or tuning lora");
    const std::string pure = R"("stack": "deepspeed", "workload": {"precision": "pure_bf16"})";
    EXPECT_EQ(hint("dgx-h100", pure), "--precision bf16, or --stack fsdp2");
    EXPECT_EQ(hint("8xv100-sxm2-32gb", pure), "--precision fp16, or another GPU");
    const std::string moments =
        R"("stack": "deepspeed", "settings": {"precision": {"moments": "bf16"}})";
    EXPECT_EQ(hint("dgx-h100", moments), "leave it out: --precision bf16, or --stack fsdp2");
}

TEST(LoadScenario, AKeyThatWasTypedIsNamedOnce) {
    const std::string key = "settings.kernels.attention";
    const JsonBuilder typed("--set " + key);
    const JsonValue root =
        typed.with(typed.object(), key, JsonBuilder::unplaced(typed.string("flash"))).value();
    const Error error = located({Error::Code::BadInput, key, "is wrong", ""}, root);
    EXPECT_EQ(error.text(), "--set settings.kernels.attention: is wrong");
    const JsonValue file =
        parseJson(R"({"settings": {"kernels": {"attention": "flash"}}})", "q.json").value();
    EXPECT_EQ(located({Error::Code::BadInput, key, "is wrong", ""}, file).text(),
              "q.json:1:40: settings.kernels.attention: is wrong");
}

/// What is assumed of attention.
std::string attentionOf(const std::string& model,
                        const std::string& more,
                        const std::string& cluster = "dgx-h100") {
    const auto loaded =
        load("{\"model\": \"" + model + R"(", "cluster": ")" + cluster + "\", " + more + "}");
    if (!loaded) {
        return loaded.error().text();
    }
    const auto note = std::ranges::find_if(
        loaded->assumed, [](const std::string& one) { return one.starts_with("attention "); });
    return note == loaded->assumed.end() ? "" : *note;
}

TEST(LoadScenario, AnAttentionThatPyTorchLacksIsAssumedAloud) {
    const auto with = [](const std::string& settings) {
        return R"("stack": "accelerate", "settings": {"kernels": {)" + settings + "}}";
    };
    EXPECT_EQ(attentionOf("gemma-2-9b", with("")),
              "attention flash_attention_2 (eager without it: --set "
              "settings.kernels.attention=unfused)");
    EXPECT_EQ(attentionOf("gemma-2-9b", with(R"("attention_code": "native")")),
              "attention eager (PyTorch's own cannot compute the model's; with flash_attention_2: "
              "--set settings.kernels.attention=flash)");
    EXPECT_EQ(attentionOf("gpt-oss-20b", with("")),
              "attention kernels-community/vllm-flash-attn3 (eager without it: --set "
              "settings.kernels.attention=unfused)");
    // The kernel of the Hub is written for Hopper.
    EXPECT_EQ(attentionOf("gpt-oss-20b", with(""), "8x-rtx-4090"),
              "attention eager (PyTorch's own cannot compute the model's)");
    EXPECT_EQ(attentionOf("bloom-560m", with(R"("attention_code": "native")")),
              "attention eager (PyTorch's own cannot compute the model's)");
    for (const char* const said : {R"("attention": "unfused")",
                                   R"("attention": "flash")",
                                   R"("attention_code": "flash2")"}) {
        EXPECT_EQ(attentionOf("gemma-2-9b", with(said)), "") << said;
    }
    EXPECT_EQ(attentionOf("llama-3.1-8b", with("")), "");
    EXPECT_EQ(attentionOf("gpt-oss-20b", R"("stack": "torchtitan")"), "");
}

TEST(LoadScenario, FlashAttentionIsNeitherOfferedNorTakenWhereTheGpuLacksIt) {
    const auto onV100 = [](const std::string& kernels) {
        return attentionOf("gemma-2-2b",
                           R"("stack": "fsdp2", "settings": {"kernels": {)" + kernels + "}}",
                           "8xv100-sxm2-32gb");
    };
    EXPECT_EQ(onV100(""), "attention eager (PyTorch's own cannot compute the model's)");
    EXPECT_EQ(onV100(R"("attention": "unfused")"), "");
    for (const char* const said : {R"("attention": "flash")", R"("attention_code": "flash2")"}) {
        const std::string refused = onV100(said);
        EXPECT_NE(refused.find("settings.kernels.attention"), std::string::npos) << refused;
        EXPECT_NE(refused.find("flash_attention_2 requires compute capability 8.0; "
                               "v100-sxm2-32gb has 7.0"),
                  std::string::npos)
            << refused;
        EXPECT_NE(refused.find("settings.kernels.attention=unfused"), std::string::npos);
    }
    // PyTorch's own computes the others.
    EXPECT_EQ(attentionOf("llama-3.1-8b",
                          R"("settings": {"kernels": {"attention": "flash"}})",
                          "8xv100-sxm2-32gb"),
              "");
}

TEST(LoadScenario, WhatNobodySaidOfAdaptersIsAssumedToo) {
    const auto assumed = [](const std::string& lora) {
        return loadWith(
                   R"("cluster": "dgx-h100", "stack": "axolotl", "layout": "shard=none,micro_batch=1",
            "workload": {"sequence": 4096, "global_batch": 8},
            "settings": {"tuning": "lora", "lora": {)" +
                   lora + "}}")
            ->assumed.size();
    };
    EXPECT_EQ(assumed(""), 3U);
    EXPECT_EQ(assumed(R"("rank": 8, "base": "nf4", "targets": "q+v")"), 0U);
    EXPECT_NE(why(R"("cluster": "dgx-h100", "settings": {"lora": {"rank": 8}})")
                  .find("tuning is full (settings.tuning=lora)"),
              std::string::npos);
}

// A rank is a wish for adapters, also the one that is assumed.
TEST(LoadScenario, AdaptersThatTheTuningLeavesOutAreRefused) {
    const std::string start = R"("cluster": "dgx-h100", "stack": "fsdp2", "settings": )";
    EXPECT_NE(why(start + R"({"lora": {"rank": 16}})").find("tuning is full"), std::string::npos);
    EXPECT_NE(why(start + R"({"lora": {"rank": 8}})").find("tuning is full"), std::string::npos);
    EXPECT_EQ(why(start + R"({"tuning": "lora", "lora": {"rank": 16}})"), "");
}

TEST(LoadScenario, PrecisionAndOptimizerInAWord) {
    const auto settings = [](const std::string& workload) {
        return loadWith("\"cluster\": \"dgx-h100\", \"stack\": \"megatron\", \"workload\": {" +
                        workload + "}")
            ->scenario.settings;
    };
    EXPECT_EQ(settings(R"("precision": "fp16")").precision.parameters, Dtype::Fp16);
    EXPECT_EQ(settings(R"("precision": "fp8_blockwise")").kernels.quantization,
              Quantization::Fp8Blockwise);
    EXPECT_EQ(settings(R"("optimizer": "sgd"}, "layout": {"shard": "none")").optimizer.kind,
              OptimizerKind::Sgd);
}

TEST(LoadScenario, ABatchMayBeSaidInTokens) {
    const auto batch = [](const std::string& text) {
        return loadWith(
            "\"cluster\": \"dgx-h100\", \"workload\": {\"sequence\": 4096, "
            "\"global_batch\": \"" +
            text + "\"}");
    };
    EXPECT_EQ(batch("65536 tokens")->scenario.workload.globalBatch, 16);
    // 16.0002 sequences: the batch near it that divides best over eight ranks, which is said.
    const auto rounded = batch("65537 tokens");
    ASSERT_TRUE(rounded);
    EXPECT_EQ(rounded->scenario.workload.globalBatch, 16);
    EXPECT_NE(std::ranges::find(rounded->assumed, "global batch 16: 65536 tokens, for 65537"),
              rounded->assumed.end());
    EXPECT_EQ(batch("4000000 tokens")->scenario.workload.globalBatch, 1024);
    EXPECT_EQ(batch("4000 tokens").error().why, "4000 tokens are less than a sequence of 4096");
    EXPECT_FALSE(batch("16"));
}

TEST(LoadScenario, ErrorsStandAtTheKeyTheySpeakOf) {
    EXPECT_EQ(why(R"("cluster": "dgx-h1000")").substr(0, 12), "s.json:2:12:");
    EXPECT_EQ(why("\"cluster\": {\"name\": \"dgx-h100\", \"nodes\": 2},\n"
                  "\"layout\": {\"tp\": 4, \"dp\": 3}"),
              "s.json:3:27: layout.dp: tp 4 x pp 1 x cp 1 x dp 3 = 12, but there are 16 GPUs "
              "(dp=4)");
    EXPECT_EQ(why("\"cluster\": \"dgx-h100\",\n\"stack\": \"megatrn\"").substr(0, 13),
              "s.json:3:10: ");
    EXPECT_EQ(why("\"cluster\": \"dgx-h100\",\n\"stack\": \"ddp\", \"layout\": {\"tp\": 2}")
                  .substr(0, 12),
              "s.json:3:34:");
    EXPECT_EQ(
        why("\"cluster\": {\"name\": \"dgx-h100\", \"gpu\": \"h100-sxm5-80gb\"}").substr(0, 12),
        "s.json:2:21:");
    EXPECT_EQ(load("{\"model\": \"no/such/file.json\", \"cluster\": \"dgx-h100\"}")
                  .error()
                  .text()
                  .substr(0, 37),
              "s.json:1:11: no/such/file.json cannot");
    EXPECT_EQ(load("{}").error().hint, "-m llama-3.1-8b -c dgx-h100");
}

TEST(LoadScenario, ASequenceEndsWhereLearnedPositionsDo) {
    const auto withSequence = [](const std::string& model, const std::string& sequence) {
        return load("{\"cluster\": \"dgx-h100\", \"model\": \"" + model +
                    "\", \"stack\": \"ddp\", \"workload\": {\"sequence\": " + sequence + "}}");
    };
    EXPECT_TRUE(withSequence("gpt2", "1024"));
    EXPECT_EQ(withSequence("gpt2", "1025").error().why,
              "workload.sequence: gpt2 has 1024 positions, fewer than a sequence of 1025");
    EXPECT_EQ(withSequence("pythia-70m", "4096")->assumed.front(),
              "positions beyond the model's 2048");
}

TEST(LoadScenario, AModelMayBeSaidInPlace) {
    const auto loaded = load(R"({"cluster": "dgx-h100", "model": {"model_type": "llama",
        "hidden_size": 1024, "num_hidden_layers": 4, "num_attention_heads": 8,
        "intermediate_size": 4096, "vocab_size": 32000}})");
    ASSERT_TRUE(loaded) << loaded.error().text();
    EXPECT_EQ(loaded->scenario.model.layers, 4);
    EXPECT_FALSE(load(R"({"cluster": "dgx-h100", "model": {"layers": 4}})"));
    EXPECT_FALSE(load(R"({"cluster": "dgx-h100", "model": 7})"));
}

TEST(LoadScenario, AModelInPlaceHasTheNameOfTheOneThatIsKnown) {
    const auto nameOf = [](const std::string& shape, const std::string& positions) {
        const auto loaded =
            load(R"({"cluster": "dgx-h100", "stack": "ddp", "workload": {"sequence": 2048},
                     "model": {"model_type": "llama", "num_attention_heads": 32,
                     "num_key_value_heads": 8, "vocab_size": 128256, )" +
                 shape + R"(, "max_position_embeddings": )" + positions + "}}");
        return loaded ? loaded->scenario.model.name : loaded.error().text();
    };
    const std::string small =
        R"("hidden_size": 2048, "num_hidden_layers": 16, "intermediate_size": 8192)";
    const std::string tied = small + R"(, "head_dim": 64, "tie_word_embeddings": true)";
    EXPECT_EQ(nameOf(tied, "131072"), "llama-3.2-1b");
    EXPECT_EQ(nameOf(tied, "4096"), "llama-3.2-1b");  // a run of shorter sequences
    EXPECT_EQ(nameOf(tied, "262144"), "model");
    EXPECT_EQ(nameOf(small, "131072"), "model");  // its head is not tied
    // As long as either of Llama 3 and 3.1 may be meant, neither is.
    const std::string large =
        R"("hidden_size": 4096, "num_hidden_layers": 32, "intermediate_size": 14336)";
    EXPECT_EQ(nameOf(large, "131072"), "llama-3.1-8b");
    EXPECT_EQ(nameOf(large, "8192"), "model");
}

TEST(LoadScenario, AClusterCountsInNodesOrInGpus) {
    const auto gpus = [](const std::string& cluster) {
        return loadWith("\"cluster\": {" + cluster + "}");
    };
    EXPECT_EQ(gpus(R"("name": "dgx-h100", "gpus": 4)")->scenario.cluster.gpus(), 4);
    EXPECT_EQ(gpus(R"("name": "dgx-h100", "gpus": 16)")->scenario.cluster.nodes, 2);
    EXPECT_EQ(gpus(R"("gpu": "h100-sxm5-80gb", "fabric": "ib-ndr", "gpus_per_node": 2, "nodes": 3)")
                  ->scenario.layout.world(),
              6);
    EXPECT_FALSE(gpus(R"("name": "dgx-h100", "gpus": 12)"));
    EXPECT_FALSE(gpus(R"("name": "dgx-h100", "gpus": 8, "nodes": 2)"));
    EXPECT_FALSE(gpus(R"("gpus": 8)"));
    EXPECT_FALSE(gpus(R"("gpu": "h100-sxm5-80gb", "gpus_per_node": 4096, "nodes": 1000000)"));
}

TEST(BatchOfRanks, IsSaidInWordsForOneAndForMany) {
    const auto said = [](std::int64_t each, std::int64_t ranks) {
        WorkloadRequest workload;
        workload.globalBatchPerRank = each;
        std::vector<std::string> assumed;
        EXPECT_EQ(batchOfRanks(workload, ranks, assumed).value(), each * ranks);
        return assumed.front();
    };
    EXPECT_EQ(said(1, 8), "global batch 8: 1 sample of each of 8 data parallel ranks");
    EXPECT_EQ(said(4, 2), "global batch 8: 4 samples of each of 2 data parallel ranks");
    EXPECT_EQ(said(8, 1), "global batch 8: 8 samples of one data parallel rank");
}

}  // namespace
}  // namespace fabricast
