#include "planner/backtest/run_readings.h"
#include "planner/base/small_letters.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace fabricast {

std::int64_t numberAfter(std::string_view text, std::string_view key) {
    const std::size_t at = text.find(key);
    std::int64_t value = 0;
    if (at != std::string_view::npos) {
        std::from_chars(text.data() + at + key.size(), text.data() + text.size(), value);
    }
    return value;
}

bool mentions(std::string_view text, std::string_view part) {
    return std::search(text.begin(), text.end(), part.begin(), part.end(), [](char a, char b) {
               return smallLetter(a) == b;
           }) != text.end();
}

namespace {

struct Release {
    int year = 0;  ///< 0: not known
    int month = 0;

    [[nodiscard]] bool isBefore(int otherYear, int otherMonth) const {
        return year > 0 && (year < otherYear || (year == otherYear && month < otherMonth));
    }
};

/// When a release was made, from its name ("NeMo 24.07", "MLPerf v4.1", "torchtitan (2024-12)"). An
/// MLPerf round's submissions are of the middle of its year.
Release namedRelease(const std::string& framework) {
    constexpr int kMiddle = 6;
    static const std::pair<std::string_view, int> kRounds[] = {
        {"mlperf v3.", 2023}, {"mlperf v4.", 2024}, {"mlperf v5.", 2025}};
    for (const auto& [round, year] : kRounds) {
        if (mentions(framework, round)) {
            return {year, kMiddle};
        }
    }
    const auto digit = [&](std::size_t at) {
        return at < framework.size() &&
               std::isdigit(static_cast<unsigned char>(framework[at])) != 0;
    };
    const auto pair = [&](std::size_t at) {
        return digit(at) && digit(at + 1) ? (framework[at] - '0') * 10 + (framework[at + 1] - '0')
                                          : 0;
    };
    for (std::size_t i = 0; i + 4 < framework.size(); ++i) {
        const bool starts = i == 0 || !digit(i - 1);
        if (starts && digit(i) && digit(i + 1) && framework[i + 2] == '.' && digit(i + 3) &&
            digit(i + 4)) {
            return {2000 + pair(i), pair(i + 3)};
        }
        if (starts && framework.compare(i, 2, "20") == 0 && digit(i + 2) && digit(i + 3) &&
            framework[i + 4] == '-') {
            return {2000 + pair(i + 2), pair(i + 5)};
        }
    }
    return {};
}

/// NVIDIA's code for MLPerf had MCORE_CUDA_GRAPH beside LAYER_CUDA_GRAPH from 2025 on: submissions
/// of later rounds that set the latter alone run the code of 4.1.
Release releaseOf(const PublishedRun& run) {
    const Release named = namedRelease(run.framework);
    const bool of41 = mentions(run.framework, "mlperf") &&
                      mentions(run.notes, "layer_cuda_graph=") &&
                      !mentions(run.notes, "mcore_cuda_graph=");
    return of41 && !named.isBefore(2025, 1) ? Release{2024, 9} : named;
}

/// Heads wider than this had no fused backward on Blackwell before Transformer Engine 2.5 (its pull
/// request 1797): latent attention kept its scores.
constexpr std::int64_t kFusedHead = 128;

bool lacksWideHeads(const Release& release, const Scenario& scenario) {
    return release.isBefore(2025, 7) &&
           scenario.settings.kernels.code == ModelCode::TransformerEngine &&
           scenario.cluster.node.gpu.architecture.starts_with("sm_10") &&
           scenario.model.attention.keyDim() > kFusedHead;
}

/// Megatron-Core refused one kernel for latent attention's rotary embedding until its release 0.13
/// ("multi_latent_attention does not support apply_rope_fusion").
bool writesLatentRope(const Release& release, const Scenario& scenario) {
    return release.isBefore(2025, 7) && scenario.model.attention.kind == AttentionKind::Latent;
}

/// A linear layer's forward kept the host busy for 140 us in 2024 and for 59 us two years later
/// (Transformer Engine's pull requests 1191 and 3523).
constexpr double kEarlyModules = 140.0 / 59.0;

/// NVIDIA's code of MLPerf 5.1 for Blackwell has USE_TE_OPS=1 in its config_common.sh; Hopper's
/// submissions run that of 4.1 and 5.0.
bool fusesOperations(const PublishedRun& run,
                     const Scenario& scenario,
                     const KernelSettings& kernels) {
    return mentions(run.framework, "mlperf v5.1") && mentions(run.model, "lora") &&
           scenario.cluster.node.gpu.architecture.starts_with("sm_10") &&
           kernels.quantization == Quantization::Fp8Tensorwise;
}

}  // namespace

/// Transformer Engine took up the third generation of flash attention in 2025; until that summer
/// PyTorch's RMSNorm was written out in its operations (its pull request 153666).
void readRelease(const PublishedRun& run, const Scenario& scenario, Settings& settings) {
    const Release release = releaseOf(run);
    if (release.isBefore(2025, 1)) {
        settings.kernels.attentionCode = AttentionCode::Flash2;
    }
    if (release.isBefore(2025, 1) && settings.kernels.code == ModelCode::TransformerEngine) {
        settings.kernels.linearHost = kEarlyModules;
    }
    settings.kernels.fusedOps = fusesOperations(run, scenario, settings.kernels);
    if (lacksWideHeads(release, scenario)) {
        settings.kernels.attention = AttentionKernel::Unfused;
    }
    settings.megatron.ropeFusion = !writesLatentRope(release, scenario);
    if (run.stack == "torchtitan" && release.isBefore(2025, 8)) {
        settings.kernels.norm = NormKernel::Fp32;
    }
}

/// Graphs of the modules of a scope that leaves attention out launch the rest one by one.
bool graphsAttention(std::string_view notes) {
    return !mentions(notes, "cuda_graph_scope=[") || mentions(notes, "'attn'");
}

/// Graphs of Megatron-Bridge's presets, of NeMo's recipes, or of MLPerf's submissions.
bool launchesGraphs(std::string_view notes) {
    const bool preset = mentions(notes, "cuda_graph_impl=") &&
                        !mentions(notes, "cuda_graph_impl=none") && graphsAttention(notes);
    return preset || mentions(notes, "enable_cuda_graph=true") ||
           mentions(notes, "layer_cuda_graph=1") || mentions(notes, "mcore_cuda_graph=1");
}

/// What the notes of the row mention.
void readNotes(const PublishedRun& run, Settings& settings) {
    settings.megatron.offloadedLayers = layersOnHost(run);
    const bool eager = mentions(run.notes, "; eager;");
    settings.kernels.compile =
        settings.kernels.compile || (mentions(run.notes, "compile") && !eager);
    for (const char* off : {"tp_comm_overlap=false", "tp_comm_overlap=0"}) {
        settings.megatron.tensorOverlap =
            settings.megatron.tensorOverlap && !mentions(run.notes, off);
    }
    // torchtitan's asynchronous tensor parallelism: products in slices, as transfers come in.
    settings.megatron.tensorOverlap = settings.megatron.tensorOverlap ||
                                      mentions(run.notes, "async tp") ||
                                      mentions(run.notes, "asynctp");
    if (mentions(run.notes, "attention (triton")) {
        settings.kernels.attentionCode = AttentionCode::Triton;
    }
    // Composer's two modes of FSDP: gradients are reduced in 32 or in 16 bits.
    if (mentions(run.notes, "mixed precision mode default")) {
        settings.precision.reduce = Dtype::Fp32;
    } else if (mentions(run.notes, "mixed precision mode pure")) {
        settings.precision.reduce = Dtype::Bf16;
    }
    // Megatron-Bridge's recipes dispatch through DeepEP or HybridEP.
    const bool preset = mentions(run.notes, "matching preset");
    if (mentions(run.framework, "bridge")) {
        const bool unsaid = !preset && !mentions(run.notes, "moe_token_dispatcher_type=alltoall");
        settings.kernels.dispatchOncePerNode =
            unsaid || mentions(run.notes, "moe_flex_dispatcher_backend=");
    }
    settings.megatron.expertOverlap =
        settings.megatron.expertOverlap || mentions(run.notes, "moe_a2a_overlap=true");
    settings.kernels.cudaGraphs = settings.kernels.cudaGraphs || launchesGraphs(run.notes);
    settings.kernels.graphExperts =
        settings.kernels.graphExperts ||
        (settings.kernels.cudaGraphs && mentions(run.notes, "full_iteration"));
    const bool isFp8 = settings.kernels.quantization != Quantization::None;
    settings.kernels.fp8Attention =
        isFp8 &&
        (mentions(run.notes, "fp8_dpa=1") || mentions(run.notes, "fp8_dot_product_attention=true"));
    settings.kernels.fusedExperts = mentions(run.notes, "cutedsl_fused_grouped_mlp=true");
    // DeepEP and HybridEP have no capacity to pad to: Megatron sends such rows by all-to-all.
    if (mentions(run.model, "(tokendrop)") ||
        mentions(run.notes, "moe_pad_expert_input_to_capacity=true")) {
        settings.kernels.capacityFactor = 1.0;
        settings.kernels.padToCapacity = true;
        settings.kernels.dispatchOncePerNode = false;
    }
}

}  // namespace fabricast
