#include "probes/cuda/memory_reference.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace fabricast::probe {

namespace {

std::vector<double> normed(const ReferenceRow& row) {
    double squares = 0.0;
    for (const double x : row.from) {
        squares += x * x;
    }
    const double size = std::sqrt(squares / static_cast<double>(row.from.size()) + row.epsilon);
    std::vector<double> to = row.from;
    for (std::size_t at = 0; at < to.size(); ++at) {
        to[at] *= row.other[at] / size;
    }
    return to;
}

std::vector<double> gated(const ReferenceRow& row) {
    const std::size_t width = row.from.size() / 2;
    std::vector<double> to(width);
    for (std::size_t at = 0; at < width; ++at) {
        const double gate = row.from[at];
        to[at] = gate / (1.0 + std::exp(-gate)) * row.from[width + at];
    }
    return to;
}

std::vector<double> turned(const ReferenceRow& row) {
    std::vector<double> to(row.from.size());
    for (std::size_t at = 0; at < to.size(); at += 2) {
        const std::size_t pair = at % row.turns.size();
        const auto cosine = static_cast<double>(row.turns[pair]);
        const auto sine = static_cast<double>(row.turns[pair + 1]);
        to[at] = row.from[at] * cosine - row.from[at + 1] * sine;
        to[at + 1] = row.from[at] * sine + row.from[at + 1] * cosine;
    }
    return to;
}

std::vector<double> lossGradient(const ReferenceRow& row) {
    const double largest = *std::max_element(row.from.begin(), row.from.end());
    double sum = 0.0;
    for (const double x : row.from) {
        sum += std::exp(x - largest);
    }
    std::vector<double> to(row.from.size());
    for (std::size_t at = 0; at < to.size(); ++at) {
        to[at] = std::exp(row.from[at] - largest) / sum;
    }
    to[static_cast<std::size_t>(row.place)] -= 1.0;
    return to;
}

}  // namespace

std::vector<double> memoryReference(const std::string& op, const ReferenceRow& row) {
    if (op == "norm") {
        return normed(row);
    }
    if (op == "swiglu") {
        return gated(row);
    }
    if (op == "rope") {
        return turned(row);
    }
    if (op == "cross_entropy") {
        return lossGradient(row);
    }
    std::vector<double> to = row.from;
    for (std::size_t at = 0; op == "add" && at < to.size(); ++at) {
        to[at] += row.other[at];
    }
    return to;
}

}  // namespace fabricast::probe
