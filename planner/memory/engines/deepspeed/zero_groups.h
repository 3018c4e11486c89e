#pragma once
#include "planner/sharding/zero_partition.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fabricast {

/// A parameter as DeepSpeed's optimizers see it, in the order of model.parameters().
struct ZeroParameter {
    int unit = 0;
    int weight = 0;
    std::int64_t elements = 0;
    std::int64_t wireWidth = 2;  ///< bytes of a gradient element when it is reduced
    bool trained = true;         ///< false: of a frozen base, gathered and not stepped
    bool expert = false;         ///< marked as experts': an optimizer group of their own
};

inline std::vector<std::int64_t> elementsOf(const std::vector<ZeroParameter>& parameters) {
    std::vector<std::int64_t> elements;
    elements.reserve(parameters.size());
    for (const ZeroParameter& parameter : parameters) {
        elements.push_back(parameter.elements);
    }
    return elements;
}

inline std::vector<bool> frozenOf(const std::vector<ZeroParameter>& parameters) {
    std::vector<bool> frozen;
    frozen.reserve(parameters.size());
    for (const ZeroParameter& parameter : parameters) {
        frozen.push_back(!parameter.trained);
    }
    return frozen;
}

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
