#pragma once
#include "planner/memory/engines/deepspeed/zero_parameter.h"
#include "planner/sharding/zero_partition.h"

#include <cstddef>
#include <vector>

namespace fabricast {

/// These are the optimizer groups of ZeRO-1 and -2, each one flat buffer with a partition for every
/// rank that has the same parameters: all but the experts, and the experts in groups of a bounded
/// size.
///     const ZeroGroups groups(parameters, {.ranks = 8}, {.ranks = 2});
///     groups.cut(groups.groupOf(3)).partition();
class ZeroGroups {
public:
    /// `parameters`: those of experts come last.
    ZeroGroups(const std::vector<ZeroParameter>& parameters,
               ZeroPartition::Options all,
               ZeroPartition::Options experts);

    struct Group {
        std::size_t begin = 0;  ///< its parameters
        std::size_t end = 0;
        bool experts = false;
        ZeroPartition cut;
    };
    [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }
    [[nodiscard]] const Group& of(std::size_t parameter) const { return groups_[of_[parameter]]; }
    [[nodiscard]] std::int64_t pieceElements(std::size_t parameter) const;
    [[nodiscard]] bool owns(std::size_t parameter) const { return pieceElements(parameter) > 0; }
    [[nodiscard]] std::vector<ZeroPartition::Slice> slices(std::size_t parameter) const;

private:
    void addGroup(const std::vector<ZeroParameter>& parameters,
                  std::size_t begin,
                  std::size_t end,
                  ZeroPartition::Options options);

    std::vector<Group> groups_;
    std::vector<std::size_t> of_;  ///< by parameter
};

}  // namespace fabricast
