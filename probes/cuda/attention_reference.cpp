#include "probes/cuda/attention_reference.h"

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

}  // namespace

std::vector<double> attentionRow(const AttentionRow& row) {
    const std::size_t dim = row.query.size();
    std::vector<double> shares = sharesOf(row);
    if (row.gradient == nullptr) {
        return weighted(shares, row.values, dim);
    }
    std::vector<double> toShares;
    double mean = 0.0;
    for (std::size_t key = 0; key < shares.size(); ++key) {
        toShares.push_back(dot(row.values.data() + key * dim, *row.gradient));
        mean += shares[key] * toShares.back();
    }
    for (std::size_t key = 0; key < shares.size(); ++key) {
        shares[key] *= (toShares[key] - mean) / std::sqrt(static_cast<double>(dim));
    }
    return weighted(shares, row.keys, dim);
}

}  // namespace fabricast::probe
