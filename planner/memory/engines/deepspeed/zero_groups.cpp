#include "planner/memory/engines/deepspeed/zero_groups.h"

namespace fabricast {

ZeroGroups::ZeroGroups(const std::vector<ZeroParameter>& parameters,
                       ZeroPartition::Options all,
                       ZeroPartition::Options experts)
    : of_(parameters.size()) {
    std::size_t begin = 0;
    std::int64_t elements = 0;
    for (std::size_t index = 0; index < parameters.size(); ++index) {
        const ZeroParameter& next = parameters[index];
        const bool turns = index > begin && next.expert != parameters[begin].expert;
        if (turns ||
            (next.expert && index > begin && elements + next.elements > kMostOfExpertGroup)) {
            addGroup(parameters, begin, index, parameters[begin].expert ? experts : all);
            begin = index;
            elements = 0;
        }
        elements += next.elements;
    }
    if (begin < parameters.size()) {
        addGroup(parameters, begin, parameters.size(), parameters[begin].expert ? experts : all);
    }
}

void ZeroGroups::addGroup(const std::vector<ZeroParameter>& parameters,
                          std::size_t begin,
                          std::size_t end,
                          ZeroPartition::Options options) {
    std::vector<std::int64_t> elements;
    for (std::size_t index = begin; index < end; ++index) {
        elements.push_back(parameters[index].elements);
        of_[index] = groups_.size();
    }
    groups_.push_back({.begin = begin,
                       .end = end,
                       .experts = parameters[begin].expert,
                       .cut = ZeroPartition(elements, options)});
}

std::int64_t ZeroGroups::pieceElements(std::size_t parameter) const {
    const Group& group = of(parameter);
    return group.cut.pieceElements(parameter - group.begin);
}

std::vector<ZeroPartition::Slice> ZeroGroups::slices(std::size_t parameter) const {
    const Group& group = of(parameter);
    return group.cut.slices(parameter - group.begin);
}

}  // namespace fabricast
