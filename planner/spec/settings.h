#pragma once
#include "planner/base/name_set.h"
#include "planner/spec/attention_code.h"
#include "planner/spec/dtype.h"
#include "planner/spec/trained_part.h"

#include <cstdint>

namespace fabricast {

/// Whose model code runs: it decides which operations there are and what each one keeps.
enum class ModelCode { Torch, HuggingFace, TorchTitan, Megatron, TransformerEngine };
/// The engine that owns parameters and gradients during a step; `Local` is a process of its own.
enum class Engine { Local, Ddp, Fsdp1, Fsdp2, DeepSpeed, Megatron, MegatronFsdp };
/// One kernel, written out in fp32, or Liger's.
enum class NormKernel { Fused, Fp32, Liger };
enum class RopeKernel { Complex, CosSin, Liger };
enum class AttentionKernel { Flash, Unfused };  ///< unfused keeps the s x s scores
/// SwiGLU as silu and product, as one op, or as Liger's, which GeGLU has too.
enum class ActivationKernel { Eager, Fused, Liger };
enum class LossKernel {
    Fp32Upcast,
    LogitsDtype,
    HuggingFace,
    Chunked,
    VocabParallel,
    Fused,
    Liger
};
/// `DeepSpeed` is deepspeed.moe.layer.MoE with its own gate, dispatch and capacity; `AutoEp` is the
/// layer that DeepSpeed puts in place of transformers' where a configuration has expert_parallel.
enum class ExpertKernel { Sequential, Grouped, GroupedFused, DeepSpeed, AutoEp };
enum class Dispatcher { AllToAll, AllGather };
enum class AuxLoss { None, Batch, Sequence, Global };
enum class Checkpointing { None, Full, Block, Selective, Modules };
enum class GradientSync { EachMicroBatch, LastMicroBatch };
enum class Reshard { Default, Always, Never };
/// What issues torchtitan's tensor, context and expert parallel collectives: its own typed
/// functions, or DTensor for the parallel regions alone, or for everything.
enum class TitanBackend { SpmdTypes, PartialDTensor, FullDTensor };
enum class OptimizerKind {
    AdamW,
    AdamW8bit,
    AdamW4bit,
    AdamWFp8,
    PagedAdamW8bit,
    Adafactor,
    Lion,
    Lion8bit,
    Sgd,
    SgdMomentum,
    Muon
};
/// How the step is computed: torch's three ways, DeepSpeed's FusedAdam (CPUAdam under offload), or
/// bitsandbytes' 32-bit kernels.
enum class OptimizerKernel { Fused, Foreach, ForLoop, DeepSpeed, BitsAndBytes };
/// When FSDP1 gathers the next unit in backward: before the current one's gradients, after, or not.
enum class BackwardPrefetch { None, Post, Pre };
enum class LowBitLibrary { BitsAndBytes, TorchAo };
enum class Quantization {
    None,
    Fp8Tensorwise,
    Fp8Rowwise,
    Fp8RowwiseGwHp,
    Fp8Blockwise,
    MxFp8,
    NvFp4
};
enum class Tuning { Full, Lora };
/// A second model beside the one that is trained, which no gradients are computed of: the frozen
/// copy that DPO and GRPO ask for log-probabilities of, a teacher, an average of the weights. On
/// each rank, or sharded over the ranks by FSDP2; `ReferenceSettings` says which.
enum class Reference { None, Whole, Sharded };
enum class AllocatorKind { Default, ExpandableSegments };
/// Where the weights are before they are cut to shards: nowhere, on the host, or whole on each GPU.
enum class Loading { Meta, Cpu, Gpu };
/// Where the copy of the parameters and the momentum of an outer optimizer are kept.
enum class OuterPlace { Gpu, Host };
/// What a checkpoint gathers of sharded weights: nothing, one unit after another on its way to the
/// host, or all of them on the GPU.
enum class SavedWeights { Sharded, FullCpu, Full };

/// The kernels behind the model code.
struct KernelSettings {
    ModelCode code = ModelCode::Torch;
    NormKernel norm = NormKernel::Fused;
    RopeKernel rope = RopeKernel::Complex;
    bool fusedQkv = false;
    AttentionKernel attention = AttentionKernel::Flash;
    AttentionCode attentionCode{};  ///< whose kernel, where there are several
    bool fp8Attention = false;      ///< it multiplies in fp8: fp8_dot_product_attention
    /// Of the documents that a sequence is packed with, each of which attends to itself alone; 0:
    /// one document.
    std::int64_t documentTokens = 0;
    /// With cp a rank has a part of the sequence's start and of its end, so that all have the same
    /// work under a causal mask; else it has one part, and all wait for the last.
    bool balancedContext = true;
    ActivationKernel activation = ActivationKernel::Eager;
    LossKernel loss = LossKernel::Fp32Upcast;
    std::int64_t lossChunks = 8;
    bool positionIds = false;  ///< the data loader hands position ids to the model
    bool compile = false;
    bool cudaGraphs = false;    ///< a layer is launched as one
    bool graphExperts = false;  ///< routed experts too: graphs of whole iterations
    /// Of the host's time that the software's profile gives to a linear layer's module.
    double linearHost = 1.0;
    bool fusedOps = false;  ///< activations are written in fp8: use_transformer_engine_op_fuser
    double dropout = 0.0;
    bool deallocatePipelineOutputs = true;
    Quantization quantization = Quantization::None;
    bool quantizedExperts = false;
    // Experts.
    ExpertKernel experts = ExpertKernel::Grouped;
    bool fusedExperts = false;  ///< both products, activation and casts in one kernel (CuTe DSL)
    Dispatcher dispatcher = Dispatcher::AllToAll;
    Dtype routerDtype = Dtype::Bf16;
    AuxLoss auxLoss = AuxLoss::None;
    double capacityFactor = 0.0;  ///< 0: dropless
    bool padToCapacity = false;
    bool dispatchOncePerNode = false;  ///< DeepEP, HybridEP: one copy of a row to each node
    bool balancedRouting = false;      ///< tokens are distributed round-robin (benchmarks)
    /// Rows that the busiest expert-parallel rank receives, over its even share: what it needs is
    /// what is forecast, as every layer waits for its busiest rank.
    double imbalance = 1.0;

    friend bool operator==(const KernelSettings&, const KernelSettings&) = default;
};

/// What numbers are stored and moved as.
struct PrecisionSettings {
    Dtype parameters = Dtype::Fp32;  ///< as the framework stores them (shards, under FSDP)
    Dtype compute = Dtype::Bf16;
    bool autocast = false;          ///< torch.autocast: casts at each op, cached per weight
    Dtype gradients = Dtype::Fp32;  ///< accumulation buffer
    Dtype reduce = Dtype::Fp32;     ///< on the wire
    bool masterWeights = false;     ///< a separate fp32 copy belongs to the optimizer
    Dtype moments = Dtype::Fp32;
    bool masterRemainder =
        false;         ///< 2-byte remainder in addition to bf16 weights (precision-aware Adam)
    bool tf32 = true;  ///< products in fp32 round their factors to TF32, where the GPU has it

    friend bool operator==(const PrecisionSettings&, const PrecisionSettings&) = default;
};

struct RecomputeSettings {
    Checkpointing kind = Checkpointing::None;
    NameSet modules;  ///< Checkpointing::Modules: core_attn, mlp, moe, moe_act, ...
    std::int64_t layers =
        0;  ///< Full: layers per checkpoint (0: 1); Block: layers recomputed per stage

    friend bool operator==(const RecomputeSettings&, const RecomputeSettings&) = default;
};

/// How layers are distributed over pipeline stages; `splitLayers` in stage_split.h does it.
struct PipelineSettings {
    std::int64_t embeddingWeight = 0;  ///< layers that the embedding counts as on the first stage
    std::int64_t headWeight = 0;       ///< layers that the norm and head count as on the last stage
    std::int64_t firstStageLayers = 0;  ///< of the first rank; 0: as the others
    std::int64_t lastStageLayers = 0;   ///< of the last rank; 0: as the others
    bool serialExchange = false;        ///< stages send, then receive: DeepSpeed's engine
    /// Ranks of a tensor-parallel group send a part each of what all of them hold, and gather it.
    bool scatterExchange = false;
    bool remainder = false;  ///< chunks may differ by one layer (Megatron: by a layout string)
    /// Times that the pipeline fills and drains in a step, each with its share of the microbatches
    /// (torchtitan's gradient accumulation).
    std::int64_t passes = 1;

    friend bool operator==(const PipelineSettings&, const PipelineSettings&) = default;
};

struct OptimizerSettings {
    OptimizerKind kind = OptimizerKind::AdamW;
    OptimizerKernel kernel = OptimizerKernel::Fused;
    LowBitLibrary library = LowBitLibrary::BitsAndBytes;
    bool decayGroups = false;  ///< norms and biases, which do not decay, are stepped apart

    friend bool operator==(const OptimizerSettings&, const OptimizerSettings&) = default;
};

/// DDP, FSDP1 and FSDP2.
struct TorchSettings {
    GradientSync sync = GradientSync::EachMicroBatch;
    bool bucketView = false;
    bool staticGraph = false;
    std::int64_t bucketCapMb = 25;
    bool smallFirstBucket = true;  ///< DDP's first is 1 MiB, unless bucket_cap_mb is set
    bool setToNone = true;
    Reshard reshard = Reshard::Default;
    bool oneUnit = false;      ///< FSDP2 of the whole model alone: no layer is a unit
    bool shardGradOp = false;  ///< FSDP1 SHARD_GRAD_OP and _HYBRID_SHARD_ZERO2
    bool useOrigParams = true;
    BackwardPrefetch backwardPrefetch = BackwardPrefetch::Pre;
    bool forwardPrefetch = false;
    bool limitAllGathers = true;
    TitanBackend backend = TitanBackend::SpmdTypes;
    /// TRL's OffloadActivations copies in a stream of its own (Axolotl's "legacy": it does not).
    bool offloadStream = true;

    /// Outside of a pipeline FSDP2 lets go of gathered layers between forward and backward.
    [[nodiscard]] bool gathersLayersAgain() const {
        return reshard == Reshard::Always || (reshard == Reshard::Default && !oneUnit);
    }

    friend bool operator==(const TorchSettings&, const TorchSettings&) = default;
};

/// DeepSpeed's zero_optimization block; sizes in elements, as in its JSON.
struct DeepSpeedSettings {
    std::int64_t reduceBucket = 500'000'000;
    std::int64_t allgatherBucket = 500'000'000;
    bool overlapComm = false;
    bool contiguousGradients = true;
    bool reduceScatter = true;
    bool multiRankBuckets = true;  ///< use_multi_rank_bucket_allreduce
    bool roundRobin = false;
    std::int64_t prefetchBucket = 50'000'000;
    std::int64_t persistenceThreshold = 100'000;
    std::int64_t maxLive = 1'000'000'000;
    std::int64_t maxReuse = 1'000'000'000;
    std::int64_t subGroup = 1'000'000'000;
    bool pinMemory = true;
    bool optimizerStaysOnDevice = false;  ///< offload_param without offload_optimizer
    std::int64_t minCapacity = 4;         ///< rows of an expert, at least, where tokens are dropped

    friend bool operator==(const DeepSpeedSettings&, const DeepSpeedSettings&) = default;
};

struct MegatronSettings {
    bool distributedOptimizer = true;
    bool overlapGradReduce = false;
    bool overlapParamGather = false;
    std::int64_t bucketElements = 0;  ///< --ddp-bucket-size; 0: max(40e6, 1e6 · dp · cp)
    bool tensorOverlap = false;  ///< --tp-comm-overlap: GEMMs and their communication in slices
    bool expertOverlap = false;  ///< one microbatch's all-to-alls overlap another's compute
    bool padBuckets = false;
    std::int64_t optimizerInstances = 1;
    std::int64_t vocabPadding = 128;
    /// GEMMs add weight gradients straight into the buffer (apex or Transformer Engine).
    bool gradientAccumulationFusion = true;
    /// Rotary embedding is one kernel (apply_rope_fusion), but where YaRN scales it too.
    bool ropeFusion = true;
    /// Of the distributed optimizer: off, gradients are summed up on every rank that needs a part.
    bool reduceScatter = true;
    /// Updated parameters are joined, gathered, and copied from there by rank and tensor.
    bool gatherSlices = false;
    /// --cpu-offloading-num-layers, under offload=activations; 0: all but one.
    std::int64_t offloadedLayers = 0;
    /// --optimizer-offload-fraction, under offload=optimizer_cpu: of what a rank steps, as much
    /// goes to the host.
    double offloadFraction = 1.0;

    friend bool operator==(const MegatronSettings&, const MegatronSettings&) = default;
};

/// What NCCL's environment says of its buffers on the GPU; the defaults are NCCL's own (2.28,
/// src/init.cc and src/transport), in bytes.
struct NcclSettings {
    std::int64_t buffer = 4 << 20;                 ///< NCCL_BUFFSIZE: of Simple
    std::int64_t ll128Buffer = 120 * 640 * 8 * 8;  ///< NCCL_LL128_BUFFSIZE
    std::int64_t llBuffer = 512 << 10;             ///< NCCL_LL_BUFFSIZE
    std::int64_t minChannels = 0;                  ///< NCCL_MIN_NCHANNELS
    std::int64_t maxChannels = 64;                 ///< NCCL_MAX_NCHANNELS
    std::int64_t minCtas = 1;                      ///< NCCL_MIN_CTAS: of NVLS too
    std::int64_t maxCtas = 64;                     ///< NCCL_MAX_CTAS
    bool p2p = true;                               ///< NCCL_P2P_DISABLE=0
    bool ring = true;                              ///< of NCCL_ALGO, as the next two
    bool tree = true;
    bool nvls = true;                      ///< and NCCL_NVLS_ENABLE
    std::int64_t nvlsChunk = 128 << 10;    ///< NCCL_NVLS_CHUNKSIZE
    std::int64_t p2pNvlChunk = 512 << 10;  ///< NCCL_P2P_NVL_CHUNKSIZE
    std::int64_t p2pPciChunk = 128 << 10;  ///< NCCL_P2P_PCI_CHUNKSIZE
    std::int64_t p2pNetChunk = 128 << 10;  ///< NCCL_P2P_NET_CHUNKSIZE

    friend bool operator==(const NcclSettings&, const NcclSettings&) = default;
};

inline const NameSet& everyLinear() {
    static const NameSet names = {"q", "k", "v", "o", "gate", "up", "down"};
    return names;
}

struct LoraSettings {
    std::int64_t rank = 16;
    /// All linear layers, as most recipes have it; peft itself starts from q and v.
    NameSet targets = everyLinear();
    double dropout = 0.0;
    Dtype dtype = Dtype::Fp32;
    bool dora = false;
    Dtype base = Dtype::Bf16;  ///< Bf16, Fp32, Nf4 or Int8
    bool doubleQuantization = false;
    /// prepare_model_for_kbit_training: the unquantised rest in fp32.
    bool preparedForKbit = false;
    /// Modules that are trained whole beside the adapters: embed_tokens, lm_head. PEFT trains a
    /// copy of each, and the original stays.
    NameSet modulesToSave;
    friend bool operator==(const LoraSettings&, const LoraSettings&) = default;
};

/// What a run does beside its steps.
struct PhaseSettings {
    Loading loading = Loading::Meta;
    std::int64_t evaluationBatch = 0;  ///< sequences of one GPU; 0: the run does not evaluate
    /// Batches whose logits an evaluation keeps on the GPU (a Trainer with compute_metrics: up to
    /// eval_accumulation_steps of them); 0: the loss alone.
    std::int64_t keptLogits = 0;
    SavedWeights checkpoint = SavedWeights::Sharded;

    friend bool operator==(const PhaseSettings&, const PhaseSettings&) = default;
};

/// Local SGD between sites (DiLoCo): each trains alone, and their parameters are averaged once in
/// many steps by an outer optimizer with Nesterov momentum.
struct OuterSettings {
    std::int64_t steps = 0;      ///< inner steps from one outer step to the next; 0: none
    Dtype wire = Dtype::Fp32;    ///< of what sites send of each parameter
    bool overlap = false;        ///< the exchange runs while the next inner steps compute
    std::int64_t fragments = 1;  ///< of the model, exchanged one after another (Streaming DiLoCo)
    OuterPlace place = OuterPlace::Gpu;

    friend bool operator==(const OuterSettings&, const OuterSettings&) = default;
};

/// What the second model of `Settings::reference` is.
struct ReferenceSettings {
    Dtype dtype = Dtype::Bf16;
    std::int64_t parameters = 0;  ///< 0: as many as the model that is trained
    bool forward = true;          ///< each microbatch goes through it, too: not of an average

    friend bool operator==(const ReferenceSettings&, const ReferenceSettings&) = default;
};

/// How the software does a step. A stack gives the defaults; a scenario may override any of them,
/// by the names in setting_fields.h: a new member needs a row there.
struct Settings {
    Engine engine = Engine::Fsdp2;
    KernelSettings kernels;
    PrecisionSettings precision;
    RecomputeSettings recompute;
    PipelineSettings pipeline;
    OptimizerSettings optimizer;
    TorchSettings torch;
    DeepSpeedSettings deepspeed;
    MegatronSettings megatron;
    Tuning tuning = Tuning::Full;
    TrainedPart train;  ///< of Tuning::Full
    LoraSettings lora;
    PhaseSettings phases;
    OuterSettings outer;
    NcclSettings nccl;
    Reference reference = Reference::None;
    ReferenceSettings referenceModel;
    AllocatorKind allocator = AllocatorKind::Default;
    /// Of PYTORCH_ALLOC_CONF: larger blocks are not cut (0: all may be), and sizes are rounded up
    /// to so many parts of a power of two (0: to 512 bytes).
    std::int64_t maxSplitMb = 0;
    std::int64_t roundupDivisions = 0;

    /// Whether a step has the forward of the second model. Of one of another size, or whose
    /// products are in fp32 where those of the trained one are not, the time is not modelled.
    [[nodiscard]] bool timesReference() const {
        const bool multipliesFp32 = referenceModel.dtype == Dtype::Fp32 && !precision.autocast &&
                                    reference == Reference::Whole;
        return reference != Reference::None && referenceModel.forward &&
               referenceModel.parameters == 0 &&
               (!multipliesFp32 || precision.compute == Dtype::Fp32);
    }
    /// Neither adapters nor frozen weights.
    [[nodiscard]] bool trainsAll() const { return tuning == Tuning::Full && train.all(); }

    friend bool operator==(const Settings&, const Settings&) = default;
};

}  // namespace fabricast
