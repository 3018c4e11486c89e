#pragma once
#include <QString>
#include <string>
#include <string_view>

namespace fabricast {

/// A number that has a formula, as the pages call it: "matrix products" for "time.gemm",
/// "activations, kept for backward of stage 1" for "stages[1].activations".
std::string numberWords(std::string_view key);
/// Formulas with every number in them as the pages call it.
QString formulasInWords(const QString& formulas);

/// A part of the memory, as its page calls it; empty where there is none of that name.
std::string memoryPartWords(std::string_view name);

}  // namespace fabricast
