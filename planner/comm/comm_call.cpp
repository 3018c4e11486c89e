#include "planner/comm/comm_call.h"

namespace fabricast {

std::int64_t wireBytes(WireType type) {
    switch (type) {
        case WireType::Fp64:
        case WireType::Int64:
            return 8;
        case WireType::Fp32:
        case WireType::Int32:
            return 4;
        case WireType::Bf16:
        case WireType::Fp16:
            return 2;
        case WireType::Fp8:
        case WireType::Uint8:
        case WireType::Bool:
            return 1;
    }
    return 0;
}

std::int64_t CommCall::bytes() const {
    return elements * wireBytes(type);
}

}  // namespace fabricast
