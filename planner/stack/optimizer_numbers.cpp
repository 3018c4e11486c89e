#include "planner/stack/optimizer_numbers.h"

#include "planner/base/check.h"
#include "planner/spec/dtype.h"
#include "planner/spec/names.h"
#include "planner/spec/setting_names.h"
#include "planner/stack/rules.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace fabricast {
namespace {

enum class Copy { Never, Of16Bits };  ///< fp32 weights beside those that compute

struct OptimizerNumbers {
    Engine engine;
    Copy copy;
    bool choosesMoments;  ///< their type, and whether the copy is a remainder of 2 bytes
    std::string_view keeps;
    std::string_view instead;
};

// torch.optim makes exp_avg like the parameter (torch/optim/adam.py, zeros_like). DeepSpeed's bf16
// optimizers hold fp32 partitions unless bf16_master_weights_and_grads and bf16_optimizer_states
// are on (runtime/zero/stage_1_and_2.py), which nothing here was compared with. Megatron-Core has
// --use-precision-aware-optimizer; Megatron-FSDP's optimizer steps fp32 shards.
constexpr std::string_view kTorchKeeps =
    "torch's optimizers keep moments in the type of the weights, and no copy of the weights";
constexpr std::array kNumbers = {
    OptimizerNumbers{Engine::Local, Copy::Never, false, kTorchKeeps, "--precision pure_bf16"},
    OptimizerNumbers{Engine::Ddp, Copy::Never, false, kTorchKeeps, "--precision pure_bf16"},
    OptimizerNumbers{Engine::Fsdp1, Copy::Never, false, kTorchKeeps, "--precision pure_bf16"},
    OptimizerNumbers{Engine::Fsdp2, Copy::Never, false, kTorchKeeps, "--precision pure_bf16"},
    OptimizerNumbers{Engine::DeepSpeed,
                     Copy::Of16Bits,
                     false,
                     "DeepSpeed keeps fp32 weights and moments beside 16-bit weights; its "
                     "bf16_master_weights_and_grads and bf16_optimizer_states are not modelled",
                     "--precision bf16, or --stack fsdp2"},
    OptimizerNumbers{Engine::Megatron,
                     Copy::Of16Bits,
                     true,
                     "Megatron's optimizers keep main parameters in addition to 16-bit weights",
                     "--precision bf16; master_remainder=true keeps only 2 more bytes"},
    OptimizerNumbers{Engine::MegatronFsdp,
                     Copy::Of16Bits,
                     false,
                     "Megatron-FSDP's optimizer keeps fp32 main parameters and moments",
                     "--precision bf16, or --stack megatron"}};

/// Every engine has a row.
const OptimizerNumbers& numbersOf(Engine engine) {
    const auto* const found = std::ranges::find(kNumbers, engine, &OptimizerNumbers::engine);
    FABRICAST_CHECK(found != kNumbers.end());
    return *found;
}

}  // namespace

Result<void> checkOptimizerNumbers(const Settings& settings) {
    const PrecisionSettings& precision = settings.precision;
    const OptimizerNumbers& numbers = numbersOf(settings.engine);
    const auto refuse = [&](std::string_view key) {
        return lacks("settings.precision." + std::string(key),
                     std::string(numbers.keeps),
                     std::string(numbers.instead));
    };
    const bool wide = precision.parameters == Dtype::Fp32;
    const bool copies = numbers.copy == Copy::Of16Bits;
    if (copies ? !wide && !precision.masterWeights : precision.masterWeights) {
        return refuse("master_weights");
    }
    const Dtype kept = copies ? Dtype::Fp32 : precision.parameters;
    if (!numbers.choosesMoments && bytesPerElement(precision.moments) < bytesPerElement(kept)) {
        return refuse("moments");
    }
    if (!numbers.choosesMoments && precision.masterRemainder) {
        return refuse("master_remainder");
    }
    return {};
}

Result<void> checkProductsOfBase(const Settings& settings) {
    const bool packed = settings.tuning == Tuning::Lora &&
                        (settings.lora.base == Dtype::Nf4 || settings.lora.base == Dtype::Int8);
    if (!packed || settings.kernels.quantization == Quantization::None) {
        return {};
    }
    return lacks("settings.kernels.quantization",
                 "layers over a base in " + std::string(nameOf(settings.lora.base)) +
                     " make their weights whole in 16 bits: their products are not in " +
                     std::string(nameOf(settings.kernels.quantization)),
                 "--precision bf16, or settings.lora.base=bf16");
}

}  // namespace fabricast
