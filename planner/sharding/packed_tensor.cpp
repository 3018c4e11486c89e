#include "planner/base/integers.h"
#include "planner/sharding/rank_tensors.h"

namespace fabricast {

bool isPacked(const Settings& settings, const RankTensor& tensor) {
    const Dtype base = settings.lora.base;
    return !tensor.trained && !tensor.vector && tensor.part != Part::Embedding &&
           tensor.part != Part::Head && tensor.part != Part::Router && !tensor.isExpert() &&
           (base == Dtype::Nf4 || base == Dtype::Int8);
}

std::int64_t packedNumbers(const RankTensor& tensor) {
    constexpr std::int64_t kCodes = 4;
    return ceilDivide(tensor.elements(), kCodes);
}

}  // namespace fabricast
