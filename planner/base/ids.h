#pragma once
#include <compare>
#include <cstdint>

namespace fabricast {

/// The number of one thing of one kind; ids of different kinds neither convert nor compare.
///     GpuId gpuAt(NodeId node, std::int64_t slot);
template <class Tag>
class Id {
public:
    constexpr Id() = default;
    constexpr explicit Id(std::int64_t index) : index_(index) {}
    [[nodiscard]] constexpr std::int64_t index() const { return index_; }
    friend constexpr auto operator<=>(Id, Id) = default;
    constexpr Id& operator++() {
        ++index_;
        return *this;
    }

private:
    std::int64_t index_ = 0;
};

using RankId = Id<struct RankTag>;
using NodeId = Id<struct NodeTag>;
using GpuId = Id<struct GpuTag>;
using LinkId = Id<struct LinkTag>;
using StageId = Id<struct StageTag>;

}  // namespace fabricast
