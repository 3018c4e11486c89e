#include "probes/record/json_line.h"
#include "probes/tuner/cost_file.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace fabricast::probe {
namespace {

// In NCCL's order.
constexpr std::array<std::string_view, 5> kCollectives = {
    "broadcast", "reduce", "all_gather", "reduce_scatter", "all_reduce"};
constexpr std::array<std::string_view, 7> kAlgorithms = {
    "tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"};
constexpr std::array<std::string_view, 3> kProtocols = {"ll", "ll128", "simple"};

template <std::size_t Count>
std::string nameOf(const std::array<std::string_view, Count>& names,
                   std::size_t number,
                   const char* what) {
    return number < Count ? std::string(names[number]) : what + std::to_string(number);
}

/// As short as the float is.
double shortOf(float value) {
    std::array<char, 64> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
    double number = 0.0;
    std::from_chars(text.data(), end.ptr, number);
    return number;
}

JsonLine tableOf(const NcclCosts& costs) {
    JsonLine table;
    const std::size_t width = costs.protocols;
    for (std::size_t row = 0; width > 0 && (row + 1) * width <= costs.table.size(); ++row) {
        JsonLine algorithm;
        for (std::size_t at = 0; at < width; ++at) {
            const float time = costs.table[row * width + at];
            if (std::isfinite(time) && time >= 0.0F) {
                algorithm.add(nameOf(kProtocols, at, "protocol"), shortOf(time));
            }
        }
        if (!algorithm.empty()) {
            table.add(nameOf(kAlgorithms, row, "algorithm"), algorithm);
        }
    }
    return table;
}

}  // namespace

std::string costHead(const std::string& version) {
    JsonLine head;
    head.add("schema", "fabricast.nccl_costs/1");
    if (!version.empty()) {
        head.add("nccl", version);
    }
    return head.text();
}

std::string costLine(const NcclCosts& costs) {
    const auto collective =
        costs.collective < 0 ? kCollectives.size() : static_cast<std::size_t>(costs.collective);
    return JsonLine()
        .add("collective", nameOf(kCollectives, collective, "collective"))
        .add("bytes", costs.bytes)
        .add("ranks", costs.ranks)
        .add("nodes", costs.nodes)
        .add("operations", costs.operations)
        .add("registered", costs.registered)
        .add("us", tableOf(costs))
        .text();
}

}  // namespace fabricast::probe
