#pragma once
#include "planner/ops/op_builder.h"
#include "planner/spec/scenario.h"

#include <cstdint>
#include <string_view>

namespace fabricast {

/// How transformers' code of a family differs from Llama's, which most follow.
struct HfCode {
    std::string_view family;
    /// How RMSNorm multiplies by its weight.
    OpBuilder::NormScale norm = OpBuilder::NormScale::OwnType;
    bool normsHeadsLast = false;    ///< q and k are normed when all three are projected
    bool normsHeadsFirst = false;   ///< q and k are normed with their heads before the tokens
    bool rotatesHalves = false;     ///< rotary tables of half a head, for either half
    bool rotatesAsComplex = false;  ///< a table of complex numbers
    bool rotatesInWindows = false;  ///< layers without an attention window have no rotary embedding
    bool namesAttention = false;    ///< attention's output lives until the layer returns
    bool keepsMlpNames = false;     ///< beside experts, whose names PEFT does not convert
    bool joinsRotary = false;       ///< what is rotated is joined with the rest, or with nothing
    bool interleavesRotary = false;    ///< every layer spreads the rotary tables
    bool rotatesWide = false;          ///< by tables in fp32, and casts what is rotated back
    bool rotatesEachSequence = false;  ///< tables have rows for each sequence of the batch
    bool scalesEmbedding = false;      ///< the table's rows are multiplied by a number
    bool scalesResiduals = false;  ///< what a block adds to the residual is multiplied by a number
    bool scalesLogits = false;     ///< logits are divided by a number
    bool capsLogits = false;       ///< logits are divided, go through tanh and are multiplied
    bool scalesQueries = false;    ///< before attention, in which it then scales by one
    bool opensByRelu = false;      ///< the MLP of two matrices: backward needs the result alone
    bool dropsResiduals = false;   ///< what a block adds to the residual goes through dropout
    std::int64_t rotaryShare = 1;  ///< the first 1/n of each head is rotated
};
/// Llama's where the scenario runs other code.
const HfCode& hfCodeOf(const Scenario& scenario);

/// Columns of a rotary table.
std::int64_t rotaryColumns(const Scenario& scenario);

/// PEFT's name of an MLP's linear layer. In a model with experts the names gate, up and down are
/// those of the experts, and layers beside them have none.
std::string_view mlpTarget(const Scenario& scenario, std::string_view target);

}  // namespace fabricast
