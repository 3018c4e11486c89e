#pragma once
#include "planner/spec/model_spec.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fabricast {

/// Sizes of a model and of the ranks that share it, as far as somebody says them; 0: nobody does.
struct SaidSizes {
    std::int64_t hidden = 0;
    std::int64_t headWidth = 0;  ///< where it does not follow from the hidden width
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0;
    std::int64_t vocab = 0;
    std::int64_t experts = 0;
    std::int64_t expertsPerToken = 0;
    std::int64_t tp = 1;
    std::int64_t ep = 1;
};

/// Those of a model that a layout divides; latent attention has no key-value heads of its own.
SaidSizes saidSizes(const ModelSpec& model, std::int64_t tp, std::int64_t ep);

/// Two sizes that must go together. Which of them a framework insists on is its own.
enum class SizeDivision {
    HiddenByHeads,
    HeadsByKvHeads,
    ExpertsPerToken,
    HeadsByTp,
    KvHeadsByTp,
    KvHeadsWithTp,  ///< one divides the other: ranks may hold copies of a head
    VocabByTp,
    ExpertsByEp
};

/// A division that leaves a rest: "4097 columns over 32 heads".
struct UnevenSizes {
    SizeDivision division;
    std::int64_t whole = 0;
    std::int64_t parts = 0;
    std::string text;
};

/// Those of the divisions that do not come out even, in their order; what nobody says comes out.
///     unevenSizes({.heads = 30, .tp = 4}, {{SizeDivision::HeadsByTp}})
std::vector<UnevenSizes> unevenSizes(const SaidSizes& sizes,
                                     std::span<const SizeDivision> divisions);

/// Whether one of them comes out even.
bool isEven(const SaidSizes& sizes, SizeDivision division);

}  // namespace fabricast
