#include "planner/comm/flat_groups.h"

#include "planner/ops/expert_layers.h"

#include <utility>

namespace fabricast {
namespace {

std::vector<std::int64_t> flatElements(const ModelWeights& model,
                                       const std::vector<std::size_t>& weights) {
    std::vector<std::int64_t> elements;
    for (const std::size_t weight : weights) {
        elements.push_back(model.tensors[weight].elements());
    }
    return elements;
}

std::vector<std::size_t> registeredWeights(const ModelWeights& model, bool experts) {
    std::vector<std::size_t> weights;
    for (const std::size_t weight : registeredOrder(model)) {
        if (model.tensors[weight].isExpert() == experts) {
            weights.push_back(weight);
        }
    }
    return weights;
}

/// A group ends before the weight that would make it too large.
std::vector<std::vector<std::size_t>> expertGroups(const ModelWeights& model) {
    std::vector<std::vector<std::size_t>> groups;
    std::int64_t elements = 0;
    for (const std::size_t weight : registeredWeights(model, true)) {
        const std::int64_t next = model.tensors[weight].elements();
        if (groups.empty() || elements + next > kMostOfExpertGroup) {
            groups.emplace_back();
            elements = 0;
        }
        groups.back().push_back(weight);
        elements += next;
    }
    return groups;
}

}  // namespace

bool partsExperts(const StageView& view) {
    return view.model().moe && (view.layout().ep > 1 || marksExperts(*view.scenario));
}

FlatGroup::FlatGroup(const ModelWeights& model,
                     std::vector<std::size_t> weights,
                     GroupKind kind,
                     ZeroPartition::Options cut)
    : weights_(std::move(weights)), kind_(kind), cut_(flatElements(model, weights_), cut) {
    for (std::size_t place = 0; place < weights_.size(); ++place) {
        placeOf_[weights_[place]] = place;
    }
}

void FlatGroup::addPieces(Pieces& pieces, std::size_t weight, GroupKind kind) const {
    const auto found = placeOf_.find(weight);
    if (kind != kind_ || found == placeOf_.end()) {
        return;
    }
    const auto slices = cut_.slices(found->second);
    pieces.insert(pieces.end(), slices.begin(), slices.end());
}

std::vector<FlatGroup> flatGroups(const StageView& view, const ModelWeights& model) {
    const Layout& layout = view.layout();
    ZeroPartition::Options cut{.ranks = layout.replicas(),
                               .roundRobin = view.settings().deepspeed.roundRobin};
    std::vector<FlatGroup> groups;
    if (!partsExperts(view)) {
        groups.emplace_back(model, registeredOrder(model), GroupKind::DataContext, cut);
        return groups;
    }
    groups.emplace_back(model, registeredWeights(model, false), GroupKind::DataContext, cut);
    cut.ranks = layout.expertReplicas();
    for (std::vector<std::size_t>& weights : expertGroups(model)) {
        groups.emplace_back(model, std::move(weights), GroupKind::ExpertData, cut);
    }
    return groups;
}

std::vector<ZeroBucket> gradientBuckets(const StageView& view,
                                        const ModelWeights& model,
                                        const std::vector<FlatGroup>& groups) {
    const DeepSpeedSettings& zero = view.settings().deepspeed;
    std::vector<std::size_t> order;
    if (view.layout().shard == Shard::Zero1 && !zero.overlapComm) {
        for (const FlatGroup& group : groups) {
            order.insert(order.end(), group.weights().begin(), group.weights().end());
        }
    } else {
        order = gradientOrder(model);
    }
    std::vector<std::int64_t> elements;
    for (const RankTensor& tensor : model.tensors) {
        elements.push_back(tensor.elements());
    }
    return zeroBuckets(order, elements, zero.reduceBucket);
}

}  // namespace fabricast
