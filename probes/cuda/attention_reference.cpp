#include "probes/cuda/attention_tensors.h"

#include <algorithm>
#include <cmath>

namespace fabricast::probe {

namespace {

double dot(const double* left, const std::vector<double>& right) {
    double sum = 0.0;
    for (std::size_t at = 0; at < right.size(); ++at) {
        sum += left[at] * right[at];
    }
    return sum;
}

/// How much of each key's value the query takes.
std::vector<double> sharesOf(const AttentionRow& row) {
    std::vector<double> shares;
    const std::size_t dim = row.query.size();
    for (std::int64_t key = 0; key < row.reach; ++key) {
        const double* const at = row.keys.data() + static_cast<std::size_t>(key) * dim;
        shares.push_back(dot(at, row.query) / std::sqrt(static_cast<double>(dim)));
    }
    const double largest = *std::max_element(shares.begin(), shares.end());
    double sum = 0.0;
    for (double& share : shares) {
        share = std::exp(share - largest);
        sum += share;
    }
    for (double& share : shares) {
        share /= sum;
    }
    return shares;
}

/// Rows of a matrix, each times its weight, summed.
std::vector<double> weighted(const std::vector<double>& weights,
                             const std::vector<double>& rows,
                             std::size_t dim) {
    std::vector<double> sum(dim, 0.0);
    for (std::size_t row = 0; row < weights.size(); ++row) {
        for (std::size_t at = 0; at < dim; ++at) {
            sum[at] += weights[row] * rows[row * dim + at];
        }
    }
    return sum;
}

/// Of each share, what the loss changes with the score behind it.
std::vector<double> toScores(const AttentionRow& row, const std::vector<double>& shares) {
    const std::size_t dim = row.query.size();
    std::vector<double> changes;
    double mean = 0.0;
    for (std::size_t key = 0; key < shares.size(); ++key) {
        changes.push_back(dot(row.values.data() + key * dim, *row.gradient));
        mean += shares[key] * changes.back();
    }
    for (std::size_t key = 0; key < shares.size(); ++key) {
        changes[key] = shares[key] * (changes[key] - mean) / std::sqrt(static_cast<double>(dim));
    }
    return changes;
}

}  // namespace

std::vector<double> attentionRow(const AttentionRow& row) {
    const std::size_t dim = row.query.size();
    const std::vector<double> shares = sharesOf(row);
    return row.gradient == nullptr ? weighted(shares, row.values, dim)
                                   : weighted(toScores(row, shares), row.keys, dim);
}

void addKeyGradients(const AttentionRow& row, std::int64_t key, KeyGradients& sums) {
    const auto at = static_cast<std::size_t>(key);
    const std::vector<double> shares = sharesOf(row);
    const double change = toScores(row, shares)[at];
    sums.key.resize(row.query.size());
    sums.value.resize(row.query.size());
    for (std::size_t number = 0; number < row.query.size(); ++number) {
        sums.key[number] += change * row.query[number];
        sums.value[number] += shares[at] * (*row.gradient)[number];
    }
}

}  // namespace fabricast::probe
