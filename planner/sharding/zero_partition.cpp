#include "planner/sharding/zero_partition.h"

#include "planner/base/integers.h"

#include <algorithm>

namespace fabricast {

namespace {

/// nccl_start_alignment_factor: two 16-bit elements.
constexpr std::int64_t kAlignment = 2;

/// Indices in the order of the flat buffer: as given, or every ranks-th one after another.
std::vector<std::size_t> flatOrder(std::size_t count, const ZeroPartition::Options& options) {
    const std::size_t step = options.roundRobin ? static_cast<std::size_t>(options.ranks) : 1;
    std::vector<std::size_t> order;
    order.reserve(count);
    for (std::size_t first = 0; first < std::min(step, count); ++first) {
        for (std::size_t i = first; i < count; i += step) {
            order.push_back(i);
        }
    }
    return order;
}

}  // namespace

ZeroPartition::ZeroPartition(const std::vector<std::int64_t>& elements, Options options)
    : options_(options), begin_(elements.size()), end_(elements.size()) {
    for (const std::size_t i : flatOrder(elements.size(), options_)) {
        begin_[i] = total_;
        total_ += elements[i];
        end_[i] = total_;
    }
    partition_ = ceilDivide(total_, kAlignment * options_.ranks) * kAlignment;
}

std::int64_t ZeroPartition::pieceElements(std::size_t parameter) const {
    const std::int64_t first = options_.rank * partition_;
    const std::int64_t overlap =
        std::min(end_[parameter], first + partition_) - std::max(begin_[parameter], first);
    return std::max<std::int64_t>(0, overlap);
}

std::vector<ZeroPartition::Slice> ZeroPartition::slices(std::size_t parameter) const {
    std::vector<Slice> cut;
    for (std::int64_t at = begin_[parameter]; at < end_[parameter];) {
        const std::int64_t rank = at / partition_;
        const std::int64_t next = std::min(end_[parameter], (rank + 1) * partition_);
        cut.push_back({rank, next - at});
        at = next;
    }
    return cut;
}

std::int64_t ZeroPartition::padding() const {
    const std::int64_t first = options_.rank * partition_;
    return std::clamp<std::int64_t>(first + partition_ - total_, 0, partition_);
}

std::vector<ZeroBucket> zeroBuckets(const std::vector<std::size_t>& order,
                                    const std::vector<std::int64_t>& elements,
                                    std::int64_t limit) {
    std::vector<ZeroBucket> buckets;
    for (const std::size_t parameter : order) {
        if (buckets.empty() ||
            overflowsBucket(buckets.back().elements, elements[parameter], limit)) {
            buckets.emplace_back();
        }
        buckets.back().parameters.push_back(parameter);
        buckets.back().elements += elements[parameter];
    }
    return buckets;
}

}  // namespace fabricast
