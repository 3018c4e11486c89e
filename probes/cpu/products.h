#pragma once
#include <cstddef>
#include <string>

namespace fabricast::probe {

/// How the factors of C (m x n) = A (m x k) · B (k x n) lie in memory, row by row. The names are
/// those of cuBLAS for the passes of a linear y = x · Wᵀ.
enum class BlasLayout {
    Tn,  ///< forward: B is stored as n x k
    Nn,  ///< the input's gradient: both as they are
    Nt,  ///< the weight's gradient: A is stored as k x m
};

/// One product in fp32, by the CBLAS that this was built with, on the calling thread. A row begins
/// `…Row` elements after the one before; 0: rows follow each other.
struct BlasProduct {
    BlasLayout layout = BlasLayout::Tn;
    int m = 0;
    int n = 0;
    int k = 0;
    float scale = 1.0F;
    bool accumulate = false;  ///< adds to C
    int aRow = 0;
    int bRow = 0;
    int cRow = 0;
};
void multiply(const BlasProduct& product, const float* a, const float* b, float* c);

/// From now on products use the calling thread alone.
void useOneThread();

/// "OpenBLAS 0.3.21 …", and the kernels that it chose for this processor.
std::string productLibrary();

}  // namespace fabricast::probe
