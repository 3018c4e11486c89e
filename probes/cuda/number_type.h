#pragma once
#include "probes/record/answer.h"

#include <cstddef>
#include <string>

namespace fabricast::probe {

/// What a matrix is made of. Tf32 is kept as fp32, and rounded by the multiplier.
enum class NumberType { Bf16, Fp16, Tf32, Fp32, Fp8 };

Answer<NumberType> numberTypeOf(const std::string& name);
std::size_t bytesOf(NumberType type);

/// How far a number of this type may be from the one that it stands for, as a share of it.
double roundingOf(NumberType type);

/// One number from and to the type's bits; fp8 is e4m3. What is too large becomes the largest.
void writeNumber(float value, NumberType type, void* to);
double readNumber(NumberType type, const void* from);

}  // namespace fabricast::probe
