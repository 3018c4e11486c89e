#include "probes/cpu/products.h"

#include <cblas.h>

namespace fabricast::probe {

void multiply(const BlasProduct& product, const float* a, const float* b, float* c) {
    const bool leftTurned = product.layout == BlasLayout::Nt;
    const bool rightTurned = product.layout == BlasLayout::Tn;
    const auto rowOr = [](int row, int width) { return row > 0 ? row : width; };
    cblas_sgemm(CblasRowMajor,
                leftTurned ? CblasTrans : CblasNoTrans,
                rightTurned ? CblasTrans : CblasNoTrans,
                product.m,
                product.n,
                product.k,
                product.scale,
                a,
                rowOr(product.aRow, leftTurned ? product.m : product.k),
                b,
                rowOr(product.bRow, rightTurned ? product.k : product.n),
                product.accumulate ? 1.0F : 0.0F,
                c,
                rowOr(product.cRow, product.n));
}

void useOneThread() {
#ifdef OPENBLAS_VERSION
    openblas_set_num_threads(1);
#endif
}

std::string productLibrary() {
#ifdef OPENBLAS_VERSION
    return std::string(openblas_get_config()) + " (" + openblas_get_corename() + ")";
#else
    return "a CBLAS that does not say its version";
#endif
}

}  // namespace fabricast::probe
