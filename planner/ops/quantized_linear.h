#pragma once
#include "planner/ops/op_builder.h"
#include "planner/spec/peft_targets.h"
#include "planner/spec/settings.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace fabricast {

/// A frozen matrix that bitsandbytes stores quantised: NF4 (Linear4bit), with its scales quantised
/// again or not, or int8 (Linear8bitLt).
struct QuantizedMatrix {
    Dtype type = Dtype::Nf4;
    bool doubleQuantization = false;
    std::int64_t rows = 0;     ///< outputs
    std::int64_t columns = 0;  ///< inputs
};

/// Bytes on the device: codes, scales and tables.
std::int64_t packedBytes(const QuantizedMatrix& matrix);
/// The code table that all doubly quantised matrices share.
std::int64_t sharedTableBytes(const LoraSettings& lora);
QuantizedMatrix quantizedMatrix(const LoraSettings& lora, std::int64_t rows, std::int64_t columns);
/// Bytes of an element as dequantised, and the memory of dequantising in addition to the result.
std::int64_t dequantizedWidth(const QuantizedMatrix& matrix);
ByteList dequantizationTemps(const QuantizedMatrix& matrix);

/// x·Wᵀ in the type of x.
TensorId quantizedLinear(
    OpBuilder& g, std::string_view name, const QuantizedMatrix& matrix, TensorId x, int bias);

}  // namespace fabricast
