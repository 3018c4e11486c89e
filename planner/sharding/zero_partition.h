#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fabricast {

/// This is how ZeRO-1 and -2 lay parameters end to end in one flat buffer and cut it into one equal
/// partition a rank, wherever the cuts fall.
///     const ZeroPartition cut(elements, {.ranks = 8, .rank = 0});
///     cut.pieceElements(3);  // of parameter 3 in this rank's partition
class ZeroPartition {
public:
    struct Options {
        std::int64_t ranks = 1;
        std::int64_t rank = 0;
        bool roundRobin = false;  ///< parameters are dealt to the ranks in turn before they are cut
    };
    struct Slice {
        std::int64_t rank = 0;
        std::int64_t elements = 0;
    };

    /// `elements`: of each trained parameter, in the order of registration.
    ZeroPartition(const std::vector<std::int64_t>& elements, Options options);

    /// Elements of the flat buffer, padded so that every partition begins at four bytes.
    [[nodiscard]] std::int64_t padded() const { return partition_ * options_.ranks; }
    [[nodiscard]] std::int64_t partition() const { return partition_; }
    /// Elements of a parameter in this rank's partition; 0: it is another's.
    [[nodiscard]] std::int64_t pieceElements(std::size_t parameter) const;
    [[nodiscard]] bool owns(std::size_t parameter) const { return pieceElements(parameter) > 0; }
    /// The parameter cut by the ranks that own it, in order.
    [[nodiscard]] std::vector<Slice> slices(std::size_t parameter) const;
    /// Padding at the end of this rank's partition.
    [[nodiscard]] std::int64_t padding() const;
    [[nodiscard]] std::int64_t rank() const { return options_.rank; }

private:
    Options options_;
    std::vector<std::int64_t> begin_;  ///< of every parameter, in the flat buffer
    std::vector<std::int64_t> end_;
    std::int64_t total_ = 0;
    std::int64_t partition_ = 0;
};

/// split_params_into_different_moe_groups_for_optimizer's max_group_size, in elements: experts of
/// deepspeed.moe have optimizer groups of at most so many.
inline constexpr std::int64_t kMostOfExpertGroup = 178'956'971;

/// Parameters whose gradients are reduced in one call.
struct ZeroBucket {
    std::vector<std::size_t> parameters;
    std::int64_t elements = 0;
};
/// Gradients as they come, in buckets: the parameter that would overflow one begins the next.
std::vector<ZeroBucket> zeroBuckets(const std::vector<std::size_t>& order,
                                    const std::vector<std::int64_t>& elements,
                                    std::int64_t limit);
/// Whether a bucket is reduced before a gradient of so many elements is added to it.
constexpr bool overflowsBucket(std::int64_t collected, std::int64_t next, std::int64_t limit) {
    return collected + next > limit;
}

}  // namespace fabricast
