#include "planner/launch/untold_settings.h"
#include "tests/planner/launch/launch_example.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

const LaunchFile& fileOf(const LaunchFiles& launch, const std::string& name) {
    return *std::ranges::find(launch.files, name, &LaunchFile::name);
}

LaunchFiles launchOf(const Scenario& scenario, const std::string& version = "") {
    const LaunchTarget& target = **findLaunchTarget(scenario.stack);
    const std::string release = version.empty() ? std::string(target.newest) : version;
    return launchFiles(target, factsOf(scenario, release)).value();
}

Scenario firstOf(const std::string& stack) {
    return layoutsOf(stack, "llama-3.1-8b").front();
}

TEST(LaunchTargets, AreNamedWhereThereIsNone) {
    const auto target = findLaunchTarget("fsdp1");
    ASSERT_FALSE(target);
    EXPECT_EQ(target.error().code, Error::Code::Unsupported);
    EXPECT_NE(target.error().hint.find("megatron"), std::string::npos);
}

TEST(LaunchTargets, TakeReleasesThatAreKnown) {
    const Scenario scenario = firstOf("torchtitan");
    const LaunchTarget& target = **findLaunchTarget("torchtitan");
    for (const char* version : {"0.3", "0.3.0", "v0.2.2", "0.2"}) {
        EXPECT_TRUE(launchFiles(target, factsOf(scenario, version))) << version;
    }
    for (const char* version : {"0.1", "0.30", "0.4.0", "0", "v0", "0.", "", "v", "main", "0.3."}) {
        const auto launch = launchFiles(target, factsOf(scenario, version));
        ASSERT_FALSE(launch) << version;
        EXPECT_EQ(launch.error().where, "--framework-version");
    }
}

TEST(LaunchFiles, SayWhatTheyDoNotTell) {
    Scenario scenario = firstOf("megatron");
    EXPECT_TRUE(launchOf(scenario).untold.empty());
    scenario.settings.kernels.linearHost = 2.0;
    const LaunchFiles launch = launchOf(scenario);
    EXPECT_EQ(launch.untold, std::vector<std::string>{"settings.kernels.linear_host=2.0"});
    scenario.settings.kernels.linearHost = 1.0;
    scenario.settings.megatron.reduceScatter =
        false;  // nanotron's: Megatron has no argument for it
    EXPECT_EQ(launchOf(scenario).untold,
              std::vector<std::string>{"settings.megatron.reduce_scatter=false"});
    EXPECT_NE(fileOf(launch, "run.sh").text.find("Not in these files"), std::string::npos);
}

// "mixed_precision: fp16" says what gradients are reduced in as well.
TEST(LaunchFiles, TellWhatFollowsTheTypeThatIsMultipliedIn) {
    Scenario scenario = firstOf("accelerate");
    scenario.layout.shard = Shard::Fsdp;
    PrecisionSettings& precision = scenario.settings.precision;
    ASSERT_EQ(precision.reduce, precision.compute);
    const std::vector<std::string> before = launchOf(scenario).untold;
    precision.compute = precision.reduce = Dtype::Fp16;
    EXPECT_EQ(launchOf(scenario).untold, before);
    precision.reduce = Dtype::Fp32;
    EXPECT_EQ(launchOf(scenario).untold.front(), "settings.precision.reduce=fp32");
}

TEST(LaunchFiles, SayInTheLoopWhenGradientsAreReduced) {
    for (const char* const stack : {"fsdp2", "ddp"}) {
        Scenario scenario = firstOf(stack);
        scenario.settings.torch.sync = GradientSync::EachMicroBatch;
        const std::string every = fileOf(launchOf(scenario), "train.py").text;
        EXPECT_EQ(every.find("last = "), std::string::npos) << every;
        EXPECT_NE(every.find("# Gradients are reduced after every microbatch"), std::string::npos);
        scenario.settings.torch.sync = GradientSync::LastMicroBatch;
        const std::string once = fileOf(launchOf(scenario), "train.py").text;
        EXPECT_NE(once.find("last = micro + 1 == ACCUMULATION\n"), std::string::npos) << once;
    }
}

/// The value behind an argument of run.sh; "-" where it has none.
std::string argumentOf(const LaunchFiles& launch, const std::string& name) {
    const auto at = std::ranges::find(launch.command, name);
    return at == launch.command.end() ? "-" : *(at + 1);
}

// A Trainer's own defaults would train another plan, and DeepSpeed's file would not agree.
TEST(LaunchFiles, TellATrainerWhatThePlanCountsOn) {
    Scenario scenario = firstOf("accelerate");
    scenario.layout.shard = Shard::Fsdp;
    scenario.layout.microBatch = 2;
    scenario.settings.recompute.kind = Checkpointing::Full;
    scenario.settings.optimizer.kind = OptimizerKind::AdamW8bit;
    scenario.settings.optimizer.library = LowBitLibrary::BitsAndBytes;
    const LaunchFiles sharded = launchOf(scenario);
    EXPECT_EQ(argumentOf(sharded, "--per_device_train_batch_size"), "2");
    EXPECT_EQ(argumentOf(sharded, "--gradient_accumulation_steps"),
              std::to_string(accumulationOf(scenario)));
    EXPECT_EQ(argumentOf(sharded, "--optim"), "adamw_bnb_8bit");
    EXPECT_EQ(argumentOf(sharded, "--gradient_checkpointing"), "false");  // the file wraps layers
    scenario.settings.kernels.quantization = Quantization::Fp8Tensorwise;
    EXPECT_EQ(argumentOf(launchOf(scenario), "--bf16"), "false");  // it would overrule the file's

    scenario = firstOf("deepspeed");
    scenario.layout.tp = scenario.layout.cp = scenario.layout.pp = 1;
    const LaunchFiles zero = launchOf(scenario);
    const std::string json = fileOf(zero, "deepspeed.json").text;
    EXPECT_EQ(argumentOf(zero, "--per_device_train_batch_size"),
              std::to_string(scenario.layout.microBatch));
    EXPECT_EQ(argumentOf(zero, "--weight_decay"), "0.1");
    EXPECT_NE(json.find("\"weight_decay\": 0.1"), std::string::npos) << json;
    scenario.layout.tp = 2;  // AutoTP is of scripts that divide their samples themselves
    EXPECT_EQ(argumentOf(launchOf(scenario), "--weight_decay"), "-");
}

// Axolotl's loader and transformers leave a packed checkpoint packed, unless they are told.
TEST(LaunchFiles, UnpackTheWeightsOfACheckpoint) {
    Scenario scenario = firstOf("axolotl");
    scenario.layout.shard = Shard::Fsdp;
    const auto yamlOf = [&scenario](const std::string& packed) {
        LaunchFacts facts = factsOf(scenario, "0.19.0");
        facts.packed = packed;
        const auto launch = launchFiles(**findLaunchTarget("axolotl"), facts);
        return launch ? fileOf(*launch, "axolotl.yaml").text : launch.error().text();
    };
    EXPECT_EQ(yamlOf("").find("model_quantization_config"), std::string::npos);
    EXPECT_NE(yamlOf("").find("cpu_ram_efficient_loading: true"), std::string::npos);
    const std::string text = yamlOf("mxfp4");
    EXPECT_NE(text.find("model_quantization_config: Mxfp4Config\n"
                        "model_quantization_config_kwargs: {dequantize: true}\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("cpu_ram_efficient_loading: false"), std::string::npos) << text;
    scenario.settings.tuning = Tuning::Lora;
    scenario.settings.lora.base = Dtype::Nf4;
    EXPECT_NE(yamlOf("mxfp4").find("--load-from a copy in bf16"), std::string::npos);
}

// Who names what to load does not want weights that are made up.
TEST(LaunchFiles, LoadTheWeightsThatAreNamed) {
    const Scenario scenario = firstOf("fsdp2");
    LaunchFacts facts = factsOf(scenario, std::string((*findLaunchTarget("fsdp2"))->newest));
    const auto programOf = [&facts] {
        const LaunchFiles launch = launchFiles(**findLaunchTarget("fsdp2"), facts).value();
        return fileOf(launch, "train.py").text;
    };
    EXPECT_NE(programOf().find("AutoModelForCausalLM.from_config("), std::string::npos);
    facts.loads = true;
    const std::string text = programOf();
    EXPECT_NE(text.find("AutoModelForCausalLM.from_pretrained(MODEL, "), std::string::npos);
    EXPECT_EQ(text.find("from_config"), std::string::npos) << text;
    EXPECT_NE(text.find("    model.train()\n"), std::string::npos) << text;
}

// The forecast's products in fp32 are those of TF32, which PyTorch does not turn on by itself.
TEST(LaunchFiles, MultiplyInTheTypeOfTheForecast) {
    const std::string line = "torch.set_float32_matmul_precision(\"high\")";
    for (const char* const stack : {"fsdp2", "ddp"}) {
        Scenario scenario = firstOf(stack);
        EXPECT_EQ(fileOf(launchOf(scenario), "train.py").text.find(line), std::string::npos);
        scenario.settings.precision.compute = Dtype::Fp32;
        const std::string wide = fileOf(launchOf(scenario), "train.py").text;
        EXPECT_NE(wide.find(line), std::string::npos) << wide;
    }
    Scenario scenario = firstOf("accelerate");
    scenario.settings.precision.compute = Dtype::Fp32;
    scenario.cluster.node.gpu.architecture = "sm_90";
    EXPECT_EQ(argumentOf(launchOf(scenario), "--tf32"), "true");
    scenario.cluster.node.gpu.architecture = "sm_75";  // transformers ends at the start there
    EXPECT_EQ(argumentOf(launchOf(scenario), "--tf32"), "-");
}

// What 4 bits leave is loaded in fp32, and multiplied so, unless the arguments say otherwise.
TEST(LaunchFiles, SayTheTypeOfAQuantisedBase) {
    Scenario scenario = firstOf("accelerate");
    scenario.layout.shard = Shard::None;
    scenario.settings.tuning = Tuning::Lora;
    scenario.settings.lora.base = Dtype::Nf4;
    const LaunchFiles halves = launchOf(scenario);
    EXPECT_EQ(argumentOf(halves, "--dtype"), "bfloat16");
    EXPECT_EQ(std::ranges::count(halves.command, "--load_in_4bit"), 1);
    scenario.settings.precision.compute = Dtype::Fp16;
    EXPECT_EQ(argumentOf(launchOf(scenario), "--dtype"), "float16");
    EXPECT_EQ(argumentOf(halves, "--tf32"), "-");
}

// Gradients in fp16 underflow, and GradScaler takes those of weights in fp32 alone.
TEST(LaunchFiles, ScaleTheLossOfHalves) {
    for (const char* const stack : {"fsdp2", "ddp"}) {
        Scenario scenario = firstOf(stack);
        const std::string plain = fileOf(launchOf(scenario), "train.py").text;
        EXPECT_EQ(plain.find("GradScaler"), std::string::npos) << stack;
        EXPECT_NE(plain.find("from_pretrained(MODEL).get_text_config()"), std::string::npos);
        scenario.settings.precision.parameters = Dtype::Fp32;
        scenario.settings.precision.compute = Dtype::Fp16;
        const std::string scaled = fileOf(launchOf(scenario), "train.py").text;
        EXPECT_NE(scaled.find("    scaler = torch.amp.GradScaler(\"cuda\")\n"), std::string::npos);
        EXPECT_NE(scaled.find("            scaler.scale(loss / ACCUMULATION).backward()\n"
                              "        scaler.unscale_(optimizer)\n"
                              "        scaler.step(optimizer)\n        scaler.update()\n"
                              "        optimizer.zero_grad"),
                  std::string::npos)
            << scaled;
    }
}

// Fields that a release has no key for would be left out in silence.
TEST(LaunchFiles, RefuseKernelsThatTheyCannotAskFor) {
    Scenario scenario = firstOf("megatron");
    KernelSettings& kernels = scenario.settings.kernels;
    kernels.quantization = Quantization::Fp8Tensorwise;
    const auto refused = [&scenario](const char* name, const char* version) {
        const auto launch =
            launchFiles(**findLaunchTarget("megatron", name), factsOf(scenario, version));
        return launch ? std::string("written") : launch.error().where;
    };
    kernels.fusedOps = true;
    EXPECT_EQ(refused("megatron", "0.19"), "written");
    EXPECT_EQ(refused("megatron", "0.17"), "--framework-version");
    EXPECT_EQ(refused("megatron-bridge", "0.3.1"), "written");
    EXPECT_EQ(refused("nemo", "2.7.3"), "settings.kernels.fused_ops");
    kernels.fusedOps = false;
    kernels.fp8Attention = true;
    EXPECT_EQ(refused("megatron", "0.19"), "settings.kernels.fp8_attention");
    EXPECT_EQ(refused("megatron-bridge", "0.3.1"), "written");
    EXPECT_EQ(refused("nemo", "2.7.3"), "written");
    kernels.fp8Attention = false;
    kernels.fusedExperts = true;
    EXPECT_EQ(refused("megatron", "0.19"), "settings.kernels.fused_experts");  // not alone
    EXPECT_EQ(refused("nemo", "2.7.3"), "settings.kernels.fused_experts");
}

// Of a size of Llama that torchtitan has no flavor of a module adds one, in 0.2.2.
TEST(TitanFiles, AddAFlavorThatThePackageLacks) {
    Scenario scenario = layoutsOf("torchtitan", "llama-2-7b").front();
    const LaunchTarget& target = **findLaunchTarget("torchtitan");
    EXPECT_EQ(usualRelease(target, scenario), "0.2.2");
    const LaunchFiles launch = launchOf(scenario, "0.2.2");
    const std::string toml = fileOf(launch, "train.toml").text;
    EXPECT_NE(toml.find("flavor = \"llama-2-7b\"\n"), std::string::npos) << toml;
    EXPECT_NE(toml.find("[experimental]\ncustom_import = \"titan_model\"\n"), std::string::npos);
    const std::string module = fileOf(launch, "titan_model.py").text;
    EXPECT_NE(module.find("llama3_args[\"llama-2-7b\"]"), std::string::npos) << module;
    EXPECT_NE(module.find("multiple_of=11008,"), std::string::npos) << module;
    const auto refused = [&](const char* version) {
        return launchFiles(target, factsOf(scenario, version)).error().why;
    };
    EXPECT_EQ(refused("0.3.0"), "torchtitan 0.3.0 has no config of llama-2-7b");
    scenario.model.tiedEmbeddings = true;
    EXPECT_EQ(refused("0.2.2"), "torchtitan 0.2.2 has no config of llama-2-7b");
    EXPECT_EQ(usualRelease(target, scenario), "0.3.0");
    const LaunchFiles packaged = launchOf(firstOf("torchtitan"), "0.2.2");
    EXPECT_EQ(fileOf(packaged, "train.toml").text.find("custom_import"), std::string::npos);
}

TEST(TitanFiles, AreRefusedWithALossThatTheirReleaseHasNot) {
    Scenario scenario = firstOf("torchtitan");
    const LaunchTarget& target = **findLaunchTarget("torchtitan");
    const auto refused = [&] { return launchFiles(target, factsOf(scenario, "0.3.0")).error(); };
    scenario.settings.kernels.loss = LossKernel::Fp32Upcast;
    EXPECT_EQ(refused().why, "torchtitan 0.3.0 has its loss in chunks, and no key for fp32_upcast");
    EXPECT_TRUE(refused().hint.starts_with("--framework-version 0.2.2")) << refused().hint;
    EXPECT_TRUE(launchFiles(target, factsOf(scenario, "0.2.2")));
    EXPECT_EQ(usualRelease(target, scenario), "0.2.2");
    scenario.settings.kernels.loss = LossKernel::Liger;
    EXPECT_EQ(refused().hint, "--set settings.kernels.loss=chunked");
}

TEST(TitanFiles, SayThatTransfersComeInSlices) {
    Scenario scenario = firstOf("torchtitan");
    const std::string loss = "settings.kernels.loss=chunked: 0.2.2 makes all logits at once";
    EXPECT_TRUE(launchOf(scenario, "0.2.2").untold.front().starts_with(loss));
    scenario.settings.kernels.loss = LossKernel::Fp32Upcast;
    EXPECT_EQ(fileOf(launchOf(scenario, "0.2.2"), "train.toml").text.find("async_tensor"),
              std::string::npos);
    scenario.settings.kernels.compile = true;
    scenario.settings.megatron.tensorOverlap = true;
    const LaunchFiles old = launchOf(scenario, "0.2.2");
    EXPECT_NE(fileOf(old, "train.toml").text.find("enable_async_tensor_parallel = true\n"),
              std::string::npos);
    EXPECT_TRUE(old.untold.empty());
    scenario.settings.kernels.loss = LossKernel::Chunked;
    EXPECT_NE(launchOf(scenario, "0.3.0").script.find("--compile.enable_async_tensor_parallel\n"),
              std::string::npos);
}

/// The words behind a flag in run.sh; empty where it is not there.
std::string wordsBehind(const std::string& text, const std::string& flag) {
    const std::size_t at = text.find("    " + flag + " ");
    const std::size_t begin = at == std::string::npos ? at : at + 5 + flag.size();
    return at == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

TEST(MegatronFiles, SayHowMuchOfAHeadIsRotated) {
    const auto said = [](const char* model) {
        const Scenario scenario = layoutsOf("megatron", model).front();
        return wordsBehind(fileOf(launchOf(scenario), "run.sh").text, "--rotary-percent");
    };
    EXPECT_EQ(said("glm-4.5-air"), "0.5");
    EXPECT_EQ(said("llama-3.1-8b"), "");
}

// --window-size takes one word, of as many positions as a row sees before its own.
TEST(MegatronFiles, SayWhichLayersHaveAWindow) {
    Scenario scenario = firstOf("megatron");
    const auto said = [&scenario](std::vector<std::int64_t> windows) {
        scenario.model.layers = static_cast<std::int64_t>(windows.size());
        scenario.model.window = std::move(windows);
        const std::string text = fileOf(launchOf(scenario), "run.sh").text;
        return wordsBehind(text, "--window-size") + " " +
               wordsBehind(text, "--window-attn-skip-freq");
    };
    scenario.layout.pp = 1;
    EXPECT_EQ(said({4096, 4096}), "4095,0 ");
    EXPECT_EQ(said({128, 0, 128, 0}), "127,0 2");
    EXPECT_EQ(said({128, 128, 0, 128}), "127,0 3");
    EXPECT_EQ(said({0, 128, 128, 0}), "127,0 '([0]*1+[1]*2+[0]*1)'");
}

// Sinks, its activation and its windows are arguments from 0.15 on.
TEST(MegatronFiles, AreWrittenForGptOss) {
    Scenario scenario = layoutsOf("megatron", "gpt-oss-20b").front();
    scenario.model.window.resize(static_cast<std::size_t>(scenario.model.layers));
    const std::string text = fileOf(launchOf(scenario, "0.15"), "run.sh").text;
    for (const auto& [flag, words] : {std::pair("--softmax-type", "learnable"),
                                      {"--window-size", "127,0"},
                                      {"--window-attn-skip-freq", "2"},
                                      {"--glu-linear-offset", "1.0"},
                                      {"--activation-func-clamp-value", "7.0"}}) {
        EXPECT_EQ(wordsBehind(text, flag), words) << flag;
    }
    EXPECT_NE(text.find("    --quick-geglu\n"), std::string::npos);
    EXPECT_EQ(text.find("--swiglu"), std::string::npos);
    EXPECT_EQ(text.find("--disable-bias-linear"), std::string::npos);
    const auto older = launchFiles(**findLaunchTarget("megatron"), factsOf(scenario, "0.14"));
    ASSERT_FALSE(older);
    EXPECT_EQ(older.error().hint, "--framework-version 0.15");
    const LaunchTarget& bridge = **findLaunchTarget("megatron", "megatron-bridge");
    const std::string program =
        fileOf(launchFiles(bridge, factsOf(scenario, "0.3.1")).value(), "train.py").text;
    for (const char* const line : {"import quick_gelu\n",
                                   "activation_func=quick_gelu,",
                                   "window_size=(127,0),",
                                   "window_attn_skip_freq=2,",
                                   "softmax_type=\"learnable\","}) {
        EXPECT_NE(program.find(line), std::string::npos) << line;
    }
}

TEST(LaunchFiles, SplitLayersAsTheForecastDoes) {
    Scenario scenario = firstOf("megatron");
    scenario.model.layers = 9;
    scenario.layout = {.dp = 4, .pp = 4, .shard = Shard::Zero1};
    scenario.layout.schedule = ScheduleKind::OneFOneB;
    scenario.settings.pipeline = {.remainder = true};
    const std::string text = fileOf(launchOf(scenario), "run.sh").text;
    EXPECT_NE(text.find("--pipeline-model-parallel-layout 'Et*3|t*2|t*2|t*2L'"), std::string::npos)
        << text;
}

TEST(LaunchFiles, StartOneNodeOrMany) {
    Scenario scenario = firstOf("fsdp2");
    EXPECT_NE(fileOf(launchOf(scenario), "run.sh").text.find("--nnodes 2"), std::string::npos);
    scenario.cluster.nodes = 1;
    EXPECT_NE(fileOf(launchOf(scenario), "run.sh").text.find("--standalone"), std::string::npos);
}

TEST(LaunchFiles, QuoteWhatAUserNamed) {
    const Scenario scenario = firstOf("axolotl");
    const LaunchTarget& target = **findLaunchTarget("axolotl");
    LaunchFacts facts = factsOf(scenario, std::string(target.newest));
    facts.loadFrom = "a\"b: [c\n#d";
    const LaunchFiles launch = launchFiles(target, facts).value();
    EXPECT_NE(fileOf(launch, "axolotl.yaml").text.find("base_model: \"a\\\"b: [c\\n#d\"\n"),
              std::string::npos);
}

TEST(LaunchFiles, KeepANameThatBreaksLinesInItsComment) {
    const Scenario scenario = firstOf("megatron");
    const LaunchTarget& target = **findLaunchTarget("megatron");
    LaunchFacts facts = factsOf(scenario, std::string(target.newest));
    facts.about = {"a\nrm -rf x\r"};
    const LaunchFiles launch = launchFiles(target, facts).value();
    EXPECT_TRUE(fileOf(launch, "run.sh").text.starts_with("#!/bin/bash\n# a?rm -rf x?\n"));
}

// Where YAML ends a line as well.
TEST(LaunchFiles, KeepEveryEndOfALineInItsText) {
    EXPECT_EQ(commentOf({"a\xc2\x85"
                         "b\xe2\x80\xa8"
                         "c\x7f"}),
              "# a?b?c?\n");
    EXPECT_EQ(quotedText("a\xc2\x85"
                         "b"),
              "\"a\\u0085b\"");
}

TEST(LaunchFiles, AreRefusedWhereAnArgumentCameLater) {
    Scenario scenario = firstOf("megatron");
    scenario.settings.optimizer.kind = OptimizerKind::Lion;
    const LaunchTarget& target = **findLaunchTarget("megatron");
    EXPECT_TRUE(launchFiles(target, factsOf(scenario, "0.17")));
    const auto launch = launchFiles(target, factsOf(scenario, "0.16"));
    ASSERT_FALSE(launch);
    EXPECT_EQ(launch.error().hint, "--framework-version 0.17");
}

TEST(LaunchTargets, StartPlansOfTheirStackOnly) {
    EXPECT_EQ((*findLaunchTarget("megatron"))->name, "megatron");
    EXPECT_EQ((*findLaunchTarget("megatron", "megatron-bridge"))->name, "megatron-bridge");
    const auto other = findLaunchTarget("fsdp2", "megatron-bridge");
    ASSERT_FALSE(other);
    EXPECT_NE(other.error().why.find("stack megatron"), std::string::npos);
    EXPECT_NE(other.error().why.find("fsdp2"), std::string::npos);
    EXPECT_FALSE(findLaunchTarget("megatron", "none"));
    EXPECT_FALSE(findLaunchTarget("megatron-bridge"));
}

LaunchFiles bridgeOf(const Scenario& scenario) {
    const LaunchTarget& target = **findLaunchTarget("megatron", "megatron-bridge");
    return launchFiles(target, factsOf(scenario, std::string(target.newest))).value();
}

TEST(BridgeFiles, SayWhatMegatronsArgumentsSay) {
    Scenario scenario = firstOf("megatron");
    scenario.layout = {.dp = 4, .tp = 2, .sp = true, .pp = 2, .vpp = 2, .shard = Shard::Zero1};
    scenario.layout.schedule = ScheduleKind::Interleaved;
    const std::string text = fileOf(bridgeOf(scenario), "train.py").text;
    for (const char* line : {"num_layers=8,",
                             "num_query_groups=8,",
                             "gated_linear_unit=True,",
                             "activation_func=torch.nn.functional.silu,",
                             "add_bias_linear=False,",
                             "tensor_model_parallel_size=2,",
                             "virtual_pipeline_model_parallel_size=2,",
                             "overlap_p2p_comm=True,",
                             "sequence_parallel=True,",
                             "vocab_size=128256,",
                             "pipeline_dtype=torch.bfloat16,",
                             "grad_reduce_in_fp32=True,"}) {
        EXPECT_NE(text.find(std::string("            ") + line + "\n"), std::string::npos) << line;
    }
}

TEST(BridgeFiles, AreRefusedWhereItsCoreLacksAnArgument) {
    Scenario scenario = firstOf("megatron");
    scenario.settings.optimizer.kind = OptimizerKind::Lion;
    const LaunchTarget& target = **findLaunchTarget("megatron", "megatron-bridge");
    const auto launch = launchFiles(target, factsOf(scenario, "0.3.1"));
    ASSERT_FALSE(launch);
    EXPECT_EQ(launch.error().where, "--target");
    EXPECT_NE(launch.error().why.find("Megatron-Core 0.16"), std::string::npos);
}

}  // namespace
}  // namespace fabricast
