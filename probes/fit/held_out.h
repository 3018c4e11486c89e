#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace fabricast {

/// Whether a shape is kept from the search, to judge the fit by: one in five, by its numbers alone,
/// so that every run and every order of rows holds out the same.
inline bool shapeIsHeldOut(std::initializer_list<double> shape) {
    constexpr std::uint64_t kPart = 5;
    std::uint64_t hash = 0x9E3779B97F4A7C15ULL;
    for (const double number : shape) {
        hash ^= std::bit_cast<std::uint64_t>(number);
        hash *= 0xBF58476D1CE4E5B9ULL;
        hash ^= hash >> 31;
    }
    return hash % kPart == 0;
}

/// At most `most` rows, as evenly as they allow from each half decade of `work`: the many small
/// shapes of a table must not decide for the few large ones.
template <class Row, class Work>
std::vector<Row> stratified(const std::vector<Row>& rows, std::size_t most, const Work& work) {
    if (rows.size() <= most) {
        return rows;
    }
    constexpr int kPerDecade = 2;
    constexpr int kStrata = 60;
    std::vector<std::vector<Row>> strata(kStrata);
    for (const Row& row : rows) {
        const int stratum = static_cast<int>(kPerDecade * std::log10(std::max(work(row), 1.0)));
        strata[static_cast<std::size_t>(std::clamp(stratum, 0, kStrata - 1))].push_back(row);
    }
    std::vector<Row> kept;
    const auto filled = static_cast<std::size_t>(
        std::ranges::count_if(strata, [](const auto& stratum) { return !stratum.empty(); }));
    const std::size_t quota = std::max<std::size_t>(1, most / std::max<std::size_t>(1, filled));
    for (const std::vector<Row>& stratum : strata) {
        const std::size_t take = std::min(quota, stratum.size());
        for (std::size_t i = 0; i < take; ++i) {
            kept.push_back(stratum[i * stratum.size() / take]);
        }
    }
    return kept;
}

}  // namespace fabricast
