#include "planner/backtest/run_readings.h"
#include "planner/profiles/profile_store.h"
#include "planner/text/csv_text.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

/// Words of a source as settings of a run.
RunScenario readAs(const std::string& framework, const std::string& notes, const std::string& vpp) {
    static const ProfileStore profiles = ProfileStore::builtIn();
    static const RunCatalog catalog = RunCatalog::open(profiles).value();
    const std::string header =
        "id,model,layers,hidden,ffn,heads,kv_heads,vocab,seq,gpus,gpu,stack,pp,vpp,dp,tp,"
        "micro_batch,global_batch,framework,notes\n";
    const std::string row =
        "a-1,Llama3 70B,80,8192,28672,64,8,128256,8192,8,h100_sxm,megatron-core,4," + vpp +
        ",1,2,1,32," + framework + ",\"" + notes + "\"\n";
    const CsvText table = parseCsv(header + row, "runs.csv").value();
    return runScenario(readRuns(table).value().front(), catalog).value();
}

MegatronSettings nanotronUnder(const std::string& shard) {
    static const ProfileStore profiles = ProfileStore::builtIn();
    static const RunCatalog catalog = RunCatalog::open(profiles).value();
    const CsvText table =
        parseCsv(
            "id,model,layers,hidden,ffn,heads,kv_heads,vocab,seq,gpus,gpu,stack,dp,tp,shard,"
            "micro_batch,global_batch\n"
            "a-1,x,32,4096,14336,32,32,131072,4096,16,h100_sxm,nanotron,4,4," +
                shard + ",1,32\n",
            "runs.csv")
            .value();
    return runScenario(readRuns(table).value().front(), catalog).value().scenario.settings.megatron;
}

/// Of a row with a shard and a precision.
Scenario scenarioOf(const std::string& row) {
    static const ProfileStore profiles = ProfileStore::builtIn();
    static const RunCatalog catalog = RunCatalog::open(profiles).value();
    const std::string header =
        "id,model,layers,hidden,ffn,heads,kv_heads,vocab,seq,gpus,gpu,stack,dp,tp,micro_batch,"
        "global_batch,shard,precision,framework,notes\n";
    const CsvText table = parseCsv(header + row, "runs.csv").value();
    return runScenario(readRuns(table).value().front(), catalog).value().scenario;
}

KernelSettings kernelsOf(const std::string& framework, const std::string& notes) {
    return readAs(framework, notes, "1").scenario.settings.kernels;
}

TEST(RunScenario, KnowsWhichAttentionTheNotesName) {
    EXPECT_EQ(kernelsOf("x", "flash attention (triton/FA2)").attentionCode, AttentionCode::Triton);
    EXPECT_NE(kernelsOf("x", "compiled").attentionCode, AttentionCode::Triton);
}

TEST(RunScenario, ReducesInTheWidthOfTheModeThatTheNotesName) {
    const auto reduce = [](const std::string& notes) {
        return readAs("x", notes, "1").scenario.settings.precision.reduce;
    };
    EXPECT_EQ(reduce("FSDP mixed precision mode DEFAULT"), Dtype::Fp32);
    EXPECT_EQ(reduce("FSDP mixed precision mode PURE"), Dtype::Bf16);
}

TEST(RunScenario, KeepsOnTheHostWhatThePresetMovesThere) {
    const Scenario run =
        readAs("Megatron-Bridge", "matching preset X: cpu_offloading_num_layers=40", "1").scenario;
    EXPECT_EQ(run.layout.offload, Offload::Activations);
    EXPECT_EQ(run.settings.megatron.offloadedLayers, 40);
    EXPECT_EQ(readAs("Megatron-Bridge", "matching preset X", "1").scenario.layout.offload,
              Offload::None);
}

TEST(RunScenario, ADispatcherThatAPresetDoesNotNameIsThePlainOne) {
    const std::string bridge = "Megatron-Bridge (NeMo 26.02)";
    EXPECT_FALSE(kernelsOf(bridge, "matching preset X").dispatchOncePerNode);
    EXPECT_TRUE(kernelsOf(bridge, "matching preset X: moe_flex_dispatcher_backend=hybridep")
                    .dispatchOncePerNode);
    EXPECT_TRUE(kernelsOf(bridge, "nothing known").dispatchOncePerNode);
}

TEST(RunScenario, GraphsThatAreOffAreOff) {
    EXPECT_FALSE(
        kernelsOf("x", "cuda_graph_impl=none, cuda_graph_scope=full_iteration").cudaGraphs);
    EXPECT_TRUE(kernelsOf("x", "cuda_graph_impl=full_iteration").cudaGraphs);
    EXPECT_FALSE(
        kernelsOf("x", "cuda_graph_impl=none, cuda_graph_scope=full_iteration").graphExperts);
}

TEST(RunScenario, OnlyGraphsOfWholeIterationsHoldExperts) {
    EXPECT_FALSE(kernelsOf("x", "cuda_graph_impl=transformer_engine").graphExperts);
    EXPECT_TRUE(kernelsOf("x", "cuda_graph_impl=full_iteration").graphExperts);
    EXPECT_TRUE(
        kernelsOf("x", "cuda_graph_impl=local, cuda_graph_scope=full_iteration").graphExperts);
}

TEST(RunScenario, GraphsOfRoutersAloneLaunchTheRestOneByOne) {
    EXPECT_FALSE(kernelsOf("x",
                           "cuda_graph_impl=transformer_engine, "
                           "cuda_graph_scope=['moe_router', 'moe_preprocess']")
                     .cudaGraphs);
    EXPECT_TRUE(kernelsOf("x",
                          "cuda_graph_impl=transformer_engine, "
                          "cuda_graph_scope=['attn', 'moe_router', 'moe_preprocess']")
                    .cudaGraphs);
}

TEST(RunScenario, GraphsOfMlperfsSubmissionsAreRead) {
    EXPECT_TRUE(kernelsOf("x", "SP=1 FP8_DPA=0 LAYER_CUDA_GRAPH=1").cudaGraphs);
    EXPECT_TRUE(kernelsOf("x", "LAYER_CUDA_GRAPH=0 MCORE_CUDA_GRAPH=1").cudaGraphs);
    EXPECT_FALSE(kernelsOf("x", "LAYER_CUDA_GRAPH=0 MCORE_CUDA_GRAPH=0").cudaGraphs);
}

TEST(RunScenario, SlicedTransfersOfTorchtitanAreRead) {
    const auto slices = [](const std::string& notes) {
        return readAs("x", notes, "1").scenario.settings.megatron.tensorOverlap;
    };
    EXPECT_TRUE(slices("2D + AsyncTP; torch.compile"));
    EXPECT_TRUE(slices("async TP; float8 rowwise"));
    EXPECT_FALSE(slices("vanilla TP; float8 rowwise"));
}

TEST(RunScenario, ModulesKeptTheHostBusyLongerBefore2025) {
    EXPECT_NEAR(kernelsOf("NeMo 24.07 (Megatron-Core)", "").linearHost, 2.37, 0.01);
    EXPECT_EQ(kernelsOf("Megatron-Bridge (NeMo 26.02)", "").linearHost, 1.0);
}

TEST(RunScenario, FoundryTakesTheLossOfLogitsAsTheyAre) {
    EXPECT_EQ(kernelsOf("MosaicML llm-foundry/Composer (PyTorch FSDP1)", "").loss,
              LossKernel::LogitsDtype);
    EXPECT_NE(kernelsOf("PyTorch FSDP1", "").loss, LossKernel::LogitsDtype);
}

/// What a run of Llama 3 70B stores its weights in.
Dtype weightsOf(const std::string& framework,
                const std::string& precision,
                const std::string& notes) {
    return scenarioOf(
               "a-1,Llama3 70B,80,8192,28672,64,8,128256,8192,8,h100_sxm,megatron-core,1,8,"
               "1,32,zero1," +
               precision + "," + framework + ",\"" + notes + "\"\n")
        .settings.precision.parameters;
}

TEST(RunScenario, RecipesStoreWeightsInFp8WhereOneScaleOrMxfp8Allows) {
    const std::string bridge = "Megatron-Bridge (NeMo 26.02)";
    EXPECT_EQ(weightsOf(bridge, "fp8", ""), Dtype::Fp8);
    EXPECT_EQ(weightsOf(bridge, "mxfp8", ""), Dtype::Fp8);
    EXPECT_EQ(weightsOf(bridge, "fp8-block", ""), Dtype::Bf16);
    EXPECT_EQ(weightsOf(bridge, "nvfp4", ""), Dtype::Bf16);
    EXPECT_EQ(weightsOf(bridge, "bf16", ""), Dtype::Bf16);
    EXPECT_EQ(weightsOf("Megatron-LM", "fp8", ""), Dtype::Bf16);
    EXPECT_EQ(weightsOf("MLPerf v5.0: NVIDIA NeMo", "fp8", ""), Dtype::Bf16);
    EXPECT_EQ(weightsOf("MLPerf v5.0: NVIDIA NeMo", "fp8", "FP8_PARAMS=True"), Dtype::Fp8);
}

TEST(RunScenario, ShardsOfMegatronFsdpAreItsStacks) {
    const Scenario scenario = scenarioOf(
        "a-1,Llama3 70B,80,8192,28672,64,8,128256,8192,8,h100_sxm,megatron-core,8,1,1,32,"
        "fsdp(megatron),bf16,Megatron-Bridge (NeMo 26.02),\"\"\n");
    EXPECT_EQ(scenario.stack, "megatron-fsdp");
    EXPECT_EQ(scenario.layout.shard, Shard::Fsdp);
}

TEST(RunScenario, NanotronReducesInBackwardOnlyWithoutZero) {
    EXPECT_TRUE(nanotronUnder("ddp").overlapGradReduce);
    EXPECT_FALSE(nanotronUnder("ddp").gatherSlices);
    EXPECT_FALSE(nanotronUnder("zero1").overlapGradReduce);
    EXPECT_FALSE(nanotronUnder("zero1").reduceScatter);
    EXPECT_TRUE(nanotronUnder("zero1").gatherSlices);
}

TEST(RunScenario, KernelsThatNotesNameAreUsed) {
    EXPECT_TRUE(kernelsOf("x", "cutedsl_fused_grouped_mlp=True").fusedExperts);
    EXPECT_FALSE(kernelsOf("x", "").fusedExperts);
    // Only where layers multiply in fp8 at all.
    EXPECT_FALSE(kernelsOf("x", "SP=0 FP8_DPA=1 LAYER_CUDA_GRAPH=1").fp8Attention);
}

TEST(RunScenario, FineTuningOfNvidiasTablesIsPacked) {
    EXPECT_EQ(kernelsOf("NeMo 24.07 (Megatron-Core)", "vendor-published; SFT").documentTokens, 200);
    EXPECT_EQ(kernelsOf("NeMo 24.07 (Megatron-Core)", "vendor-published").documentTokens, 0);
    EXPECT_EQ(kernelsOf("MLPerf v4.1: NVIDIA NeMo", "SFT").documentTokens, 0);
}

/// Latent attention over routed experts, on Blackwell.
Settings latentSettings(const std::string& model, const std::string& framework) {
    static const ProfileStore profiles = ProfileStore::builtIn();
    static const RunCatalog catalog = RunCatalog::open(profiles).value();
    const std::string header =
        "id,model,layers,hidden,ffn,heads,kv_heads,vocab,moe,seq,gpus,gpus_per_node,gpu,stack,pp,"
        "dp,tp,ep,micro_batch,global_batch,framework\n";
    const std::string row =
        "a-1," + model +
        ",61,7168,18432,128,128,129280,experts=256/topk=8/ffn=2048/shared=1/first_dense=3/MLA,4096,"
        "128,4,gb200,megatron-core,4,16,2,32,1,1024," +
        framework + "\n";
    const CsvText table = parseCsv(header + row, "runs.csv").value();
    const RunScenario run = runScenario(readRuns(table).value().front(), catalog).value();
    return run.scenario.settings;
}

TEST(RunScenario, WideHeadsHadNoFusedAttentionOnBlackwellBeforeTransformerEngine25) {
    const auto attention = [](const std::string& framework) {
        return latentSettings("deepseek-v3", framework).kernels.attention;
    };
    EXPECT_EQ(attention("NeMo/Megatron (DGX Cloud recipe 25.05)"), AttentionKernel::Unfused);
    EXPECT_EQ(attention("Megatron-Bridge (NeMo 25.09)"), AttentionKernel::Flash);
    EXPECT_EQ(attention("Megatron-LM"), AttentionKernel::Flash);
}

TEST(RunScenario, LatentAttentionHadNoFusedRotationBeforeMegatronCore013) {
    const auto fuses = [](const std::string& framework) {
        return latentSettings("deepseek-v3", framework).megatron.ropeFusion;
    };
    EXPECT_FALSE(fuses("NeMo/Megatron (DGX Cloud recipe 25.05)"));
    EXPECT_TRUE(fuses("Megatron-Bridge (NeMo 25.09)"));
    EXPECT_TRUE(readAs("NeMo 24.07", "", "1").scenario.settings.megatron.ropeFusion);
}

TEST(RunScenario, PyTorchHadNoKernelForRmsNormsBeforeTheSummerOf2025) {
    static const ProfileStore profiles = ProfileStore::builtIn();
    static const RunCatalog catalog = RunCatalog::open(profiles).value();
    const auto norm = [](const std::string& framework) {
        const CsvText table =
            parseCsv(
                "id,model,layers,hidden,ffn,heads,kv_heads,vocab,seq,gpus,gpu,stack,dp,shard,"
                "micro_batch,global_batch,framework\n"
                "a-1,llama3-8b,32,4096,14336,32,8,128256,8192,8,h100_sxm,torchtitan,8,fsdp,2,"
                "16," +
                    framework + "\n",
                "runs.csv")
                .value();
        const RunScenario run = runScenario(readRuns(table).value().front(), catalog).value();
        return run.scenario.settings.kernels.norm;
    };
    EXPECT_EQ(norm("torchtitan (2024-12)"), NormKernel::Fp32);
    EXPECT_EQ(norm("torchtitan (2025-10)"), NormKernel::Fused);
}

TEST(RunScenario, NicsOfTheNodesOwnSpeedServeSeveralGpus) {
    static const ProfileStore profiles = ProfileStore::builtIn();
    static const RunCatalog catalog = RunCatalog::open(profiles).value();
    const auto node = [](const std::string& gbps) {
        const CsvText table = parseCsv(
                                  "id,model,gpus,gpu,stack,nic_gbps_per_gpu\n"
                                  "a-1,Llama3 70B,16,a100_sxm4_80,megatron-core," +
                                      gbps + "\n",
                                  "runs.csv")
                                  .value();
        return catalog.clusterOf(readRuns(table).value().front()).value().node;
    };
    EXPECT_EQ(node("100").nics.value, 4);  // of 200 Gb/s
    EXPECT_EQ(node("100").nicBandwidth.value->count(), 25e9);
    EXPECT_EQ(node("200").nics.value, 8);
    EXPECT_EQ(node("150").nics.value, 6);
    EXPECT_EQ(node("90").nics.value, 8);  // not a whole number of them
}

TEST(RunScenario, PaddedCapacityGoesThroughTheAllToAll) {
    const auto once = [](const std::string& model) {
        return latentSettings(model, "Megatron-Bridge (NeMo 25.09)").kernels.dispatchOncePerNode;
    };
    EXPECT_TRUE(once("DeepSeekV3"));
    EXPECT_FALSE(once("DeepSeekV3 (tokendrop)"));
}

TEST(RunScenario, NotesSayWhichLayersAStageHas) {
    static const ProfileStore profiles = ProfileStore::builtIn();
    static const RunCatalog catalog = RunCatalog::open(profiles).value();
    const auto read = [](const std::string& notes, const std::string& vpp = "1") {
        const CsvText table =
            parseCsv(
                "id,model,layers,hidden,ffn,heads,kv_heads,moe,seq,gpus,gpu,stack,framework,tp,pp,"
                "vpp,dp,ep,micro_batch,global_batch,precision,notes\n"
                "a-1,DeepSeekV3,61,7168,18432,128,128,experts=256/topk=8/ffn=2048/shared=1/"
                "first_dense=3/MLA,4096,256,b200_sxm,megatron-core,NeMo 25.09,1,8," +
                    vpp + ",32,8,1,2048,bf16,\"" + notes + "\"\n",
                "runs.csv")
                .value();
        return runScenario(readRuns(table).value().front(), catalog);
    };
    const auto last = read("a preset: mtp_num_layers=1, pp_layout=Et*8|(t*8|)*6t*5mL");
    ASSERT_TRUE(last);
    EXPECT_EQ(last->scenario.model.mtpDepth, 1);
    EXPECT_EQ(last->scenario.settings.pipeline.embeddingWeight, 0);
    EXPECT_EQ(last->scenario.settings.pipeline.headWeight, 3);
    const auto ends = read("pp_layout=Et|(tt|)*30mL", "4");
    ASSERT_TRUE(ends);
    EXPECT_EQ(ends->scenario.model.mtpDepth, 0);
    EXPECT_EQ(ends->scenario.settings.pipeline.embeddingWeight, 1);
    EXPECT_EQ(ends->scenario.settings.pipeline.headWeight, 2);

    EXPECT_TRUE(mentions(read("pp_layout=Et*8|t*53L").error().text(), "has 2 chunks"));
    EXPECT_TRUE(mentions(read("pp_layout=Et*8|(t*8|").error().text(), "is not a pipeline layout"));
    EXPECT_TRUE(mentions(read("pp_layout=Et*9999999|L").error().text(), "is not a pipeline"));
    EXPECT_TRUE(mentions(read("pp_layout=Et*8|(t*8|)*4t*7|t*9|t*5L").error().text(),
                         "ends alone differ from the rest"));
}

TEST(RunScenario, RecipesOfDgxCloudInterleave) {
    const auto vpp = [](const std::string& framework, const std::string& said) {
        return readAs(framework, "", said).scenario.layout.vpp;
    };
    EXPECT_EQ(vpp("NeMo/Megatron (DGX Cloud recipe v25.04)", "1"), 20);
    EXPECT_EQ(vpp("NeMo/Megatron (DGX Cloud recipe v25.04)", "5"), 5);
    EXPECT_EQ(vpp("Megatron-LM", "1"), 1);
}

}  // namespace
}  // namespace fabricast
