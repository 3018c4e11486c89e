#include "planner/ops/parameter_list.h"

#include <utility>

namespace fabricast {

void append(Parameters& list, Parameters more) {
    for (Parameter& parameter : more) {
        list.push_back(std::move(parameter));
    }
}

Parameter matrix(std::string name, Part part, Split split, std::int64_t rows, std::int64_t cols) {
    return {.name = std::move(name) + ".weight",
            .part = part,
            .split = split,
            .rows = rows,
            .cols = cols};
}

Parameter bias(std::string name, Part part, Split split, std::int64_t rows) {
    return {.name = std::move(name) + ".bias", .part = part, .split = split, .rows = rows};
}

Parameters linear(const Parameter& weight, bool hasBias) {
    Parameters list{weight};
    if (hasBias) {
        // A row-parallel product is summed over the ranks before its bias is added, once.
        const Split split = weight.split == Split::Row ? Split::Replicated : weight.split;
        const std::string stem = weight.name.substr(0, weight.name.rfind('.'));
        list.push_back(bias(stem, weight.part, split, weight.rows));
    }
    return list;
}

Parameters norm(NormKind kind, const std::string& name, Part part, std::int64_t width) {
    if (kind == NormKind::LayerNoParameters) {
        return {};
    }
    Parameters list{{.name = name + ".weight", .part = part, .rows = width}};
    if (kind == NormKind::Layer) {
        list.push_back(bias(name, part, Split::Replicated, width));
    }
    return list;
}

}  // namespace fabricast
