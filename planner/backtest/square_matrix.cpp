#include "planner/backtest/square_matrix.h"

#include <cstddef>

namespace fabricast {

SquareMatrix inverse(SquareMatrix a) {
    const std::size_t n = a.size();
    SquareMatrix result(n, std::vector<double>(n, 0.0));
    for (std::size_t i = 0; i < n; ++i) {
        result[i][i] = 1.0;
    }
    for (std::size_t pivot = 0; pivot < n; ++pivot) {
        const double scale = 1.0 / a[pivot][pivot];
        for (std::size_t column = 0; column < n; ++column) {
            a[pivot][column] *= scale;
            result[pivot][column] *= scale;
        }
        for (std::size_t row = 0; row < n; ++row) {
            const double share = row == pivot ? 0.0 : a[row][pivot];
            for (std::size_t column = 0; column < n; ++column) {
                a[row][column] -= share * a[pivot][column];
                result[row][column] -= share * result[pivot][column];
            }
        }
    }
    return result;
}

}  // namespace fabricast
