#include "planner/ops/op_list.h"

namespace fabricast {

namespace {

/// Storages that something keeps: each is counted once.
class Kept {
public:
    Kept(const OpList& list, bool withInput) : list_(list), seen_(list.tensors.size(), false) {
        if (withInput && list.input != kNoTensor) {
            input_ = list.tensor(list.input).base;
        }
    }
    void add(const TensorIds& ids) {
        for (const TensorId id : ids) {
            const TensorId base = list_.tensor(id).base;
            const TensorInfo& storage = list_.tensor(base);
            const auto index = static_cast<std::size_t>(base);
            const bool counts =
                !storage.external || base == input_ || storage.use == TensorUse::Buffer;
            if (!seen_[index] && counts && !storage.discarded) {
                seen_[index] = true;
                total_ += storage.bytes;
            }
        }
    }
    [[nodiscard]] std::int64_t total() const { return total_; }

private:
    const OpList& list_;
    std::vector<bool> seen_;
    TensorId input_ = kNoTensor;
    std::int64_t total_ = 0;
};

}  // namespace

std::int64_t savedBytes(const OpList& list, bool withInput) {
    Kept kept(list, withInput);
    for (const Op& op : list.ops) {
        if (op.block < 0) {
            kept.add(op.saved);
        }
    }
    for (const RecomputeBlock& block : list.blocks) {
        kept.add(block.inputs);
    }
    std::int64_t casts = 0;  // copies that autocast's GEMMs keep
    for (const WeightUse& use : list.weights) {
        casts += use.cast && use.isMatrix ? kCastWidth * use.elements : 0;
    }
    return kept.total() + casts;
}

}  // namespace fabricast
