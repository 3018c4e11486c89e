#pragma once
#include "planner/launch/python_values.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace fabricast {

/// A block of statements that one stands in.
struct PythonBlock {
    enum class Kind : std::uint8_t { Loop, Arm, WithoutGradients, Plain };
    Kind kind = Kind::Plain;
    std::size_t at = 0;     ///< the word that begins it
    std::size_t chain = 0;  ///< of an "else" the "if" before it
    WordSpan head;          ///< up to its colon
    std::int64_t column = 0;
};

/// A call of a model, or a backward pass.
struct ModelPass {
    bool isBackward = false;
    std::size_t model = 0;
    std::size_t at = 0;   ///< the word
    std::size_t end = 0;  ///< behind its brackets
    std::vector<PythonBlock> within{};
};

/// What a block that begins here is; a "with torch.no_grad()" keeps nothing for a backward pass.
PythonBlock blockAt(const PythonValues& program, std::size_t at, const WordSpan& head);

/// Whether words say so: "no_grad", "inference_mode" or "set_grad_enabled(False)".
bool saysWithoutGradients(const PythonValues& program, const WordSpan& words);

/// Whether this statement goes on with the "if" or "try" before it.
bool continuesBlock(std::string_view word);

/// The graphs that a backward pass finds kept: of each call of the model since the last one.
struct KeptGraphs {
    std::size_t at = 0;      ///< the last of these calls
    std::int64_t count = 1;  ///< 0: not known
};

/// The most of any backward pass of this model; one where each call has its own.
///     a = model(x); b = model(y); (a + b).backward()  →  2
///     for x in parts: losses.append(model(x))
///     sum(losses).backward()                          →  0
KeptGraphs keptGraphs(const PythonValues& program,
                      const std::vector<ModelPass>& passes,
                      std::size_t model);

}  // namespace fabricast
