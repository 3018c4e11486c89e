#include "tests/programs/oracle_rows/oracle_row.h"

namespace fabricast {

namespace {

constexpr LowBitLibrary kBnb = LowBitLibrary::BitsAndBytes;
constexpr LowBitLibrary kAo = LowBitLibrary::TorchAo;
/// torchao's steps ran without torch.compile, but for those that say so and Trainer's own.
constexpr OptimizerKernel kLoop = OptimizerKernel::ForLoop;
constexpr OptimizerKernel kCompiled = OptimizerKernel::Foreach;
constexpr Recorded<OptimizerSettings> kOptimizer[] = {
    {"fused", {OptimizerKind::AdamW, OptimizerKernel::Fused}},
    {"foreach", {OptimizerKind::AdamW, OptimizerKernel::Foreach}},
    {"for-loop", {OptimizerKind::AdamW, OptimizerKernel::ForLoop}},
    {"adamw_torch", {OptimizerKind::AdamW, OptimizerKernel::Foreach}},
    {"adamw_torch_fused", {OptimizerKind::AdamW, OptimizerKernel::Fused}},
    {"adafactor", {OptimizerKind::Adafactor, OptimizerKernel::ForLoop}},
    {"sgdm", {OptimizerKind::SgdMomentum, OptimizerKernel::Foreach}},
    {"muon", {OptimizerKind::Muon, OptimizerKernel::Foreach}},
    {"bnb_adamw", {OptimizerKind::AdamW, OptimizerKernel::BitsAndBytes}},
    {"bnb_adamw8bit", {OptimizerKind::AdamW8bit, OptimizerKernel::BitsAndBytes, kBnb}},
    {"bnb_paged_adamw8bit", {OptimizerKind::PagedAdamW8bit, OptimizerKernel::BitsAndBytes, kBnb}},
    {"bnb_lion", {OptimizerKind::Lion, OptimizerKernel::BitsAndBytes, kBnb}},
    {"bnb_lion8bit", {OptimizerKind::Lion8bit, OptimizerKernel::BitsAndBytes, kBnb}},
    {"ao_adamw8bit", {OptimizerKind::AdamW8bit, kLoop, kAo}},
    {"ao_adamw4bit", {OptimizerKind::AdamW4bit, kLoop, kAo}},
    {"ao_adamwfp8", {OptimizerKind::AdamWFp8, kLoop, kAo}},
    {"ao_adamw8bit_compiled", {OptimizerKind::AdamW8bit, kCompiled, kAo}},
    {"ao_adamw4bit_compiled", {OptimizerKind::AdamW4bit, kCompiled, kAo}},
    {"ao_adamwfp8_compiled", {OptimizerKind::AdamWFp8, kCompiled, kAo}},
    {"adamw_torch_8bit", {OptimizerKind::AdamW8bit, kCompiled, kAo}},
    {"adamw_torch_4bit", {OptimizerKind::AdamW4bit, kCompiled, kAo}},
    {"ds", {OptimizerKind::AdamW, OptimizerKernel::DeepSpeed}}};

}  // namespace

Result<OptimizerSettings> recordedOptimizer(const std::string& name) {
    return pick(kOptimizer, name, "optimizer");
}

}  // namespace fabricast
