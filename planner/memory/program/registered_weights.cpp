#include "planner/memory/program/registered_weights.h"

#include "planner/ops/parameters.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace fabricast {

namespace {

/// Full names of a segment's weights; a bias comes right after the weight it belongs to.
std::vector<std::string> fullNames(const OpList& list) {
    std::vector<std::string> names;
    std::string stem;
    for (const WeightUse& use : list.weights) {
        if (use.name == "bias") {
            names.push_back(stem + ".bias");
        } else {
            stem = use.name;
            names.push_back(stem + ".weight");
        }
    }
    return names;
}

/// Experts that are modules of their own are declared one after another, as they are registered.
std::string placeName(const std::string& name) {
    constexpr std::string_view kExperts = "experts.";
    return name.starts_with(kExperts) ? std::string(kExperts) : name;
}

/// Indices of a layer's weights in the order of `parameters`; what is not there comes last.
std::vector<int> registeredOrder(const OpList& list, const std::vector<Parameter>& parameters) {
    std::map<std::string, std::size_t> position;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        position.emplace(placeName(parameters[i].name), i);
    }
    std::vector<std::pair<std::size_t, int>> keyed;
    for (const std::string& name : fullNames(list)) {
        const auto found = position.find(placeName(name));
        keyed.emplace_back(found == position.end() ? parameters.size() : found->second,
                           static_cast<int>(keyed.size()));
    }
    std::sort(keyed.begin(), keyed.end());
    std::vector<int> order;
    order.reserve(keyed.size());
    for (const auto& [key, weight] : keyed) {
        order.push_back(weight);
    }
    return order;
}

}  // namespace

/// Layers of one list register the same weights in the same order.
std::vector<WeightPlace> registeredWeights(const StageProgram& program, const ModelSpec& model) {
    std::vector<WeightPlace> places;
    std::map<const OpList*, std::vector<int>> orders;
    for (const PlacedSegment& segment : program.segments) {
        const OpList& list = *segment.place.ops;
        const auto [order, isNew] = orders.try_emplace(&list);
        if (isNew) {
            const auto parameters = segment.role == SegmentRole::Layer
                                        ? layerParameters(model, segment.layer)
                                        : std::vector<Parameter>{};
            order->second = registeredOrder(list, parameters);
        }
        for (const int weight : order->second) {
            if (!list.weights[static_cast<std::size_t>(weight)].tied) {
                places.push_back({segment.place.unit, segment.place.firstWeight + weight});
            }
        }
    }
    return places;
}

}  // namespace fabricast
