#pragma once
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

}  // namespace fabricast
