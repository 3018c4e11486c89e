#include "planner/spec/size_divisions.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace fabricast {
namespace {

/// What is divided by what, in the words that a person has for both.
struct DivisionRow {
    SizeDivision division;
    std::int64_t SaidSizes::*whole;
    std::int64_t SaidSizes::*parts;
    std::string_view wholeName;
    std::string_view partsName;
};
constexpr std::array kDivisions = {
    DivisionRow{SizeDivision::HiddenByHeads,
                &SaidSizes::hidden,
                &SaidSizes::heads,
                "columns",
                "attention heads"},
    DivisionRow{SizeDivision::HeadsByKvHeads,
                &SaidSizes::heads,
                &SaidSizes::kvHeads,
                "attention heads",
                "key-value heads"},
    DivisionRow{SizeDivision::ExpertsPerToken,
                &SaidSizes::experts,
                &SaidSizes::expertsPerToken,
                "experts",
                "of them for each token"},
    DivisionRow{SizeDivision::HeadsByTp,
                &SaidSizes::heads,
                &SaidSizes::tp,
                "attention heads",
                "tensor ranks"},
    DivisionRow{SizeDivision::KvHeadsByTp,
                &SaidSizes::kvHeads,
                &SaidSizes::tp,
                "key-value heads",
                "tensor ranks"},
    DivisionRow{SizeDivision::KvHeadsWithTp,
                &SaidSizes::kvHeads,
                &SaidSizes::tp,
                "key-value heads",
                "tensor ranks"},
    DivisionRow{SizeDivision::VocabByTp,
                &SaidSizes::vocab,
                &SaidSizes::tp,
                "words of the vocabulary",
                "tensor ranks"},
    DivisionRow{
        SizeDivision::ExpertsByEp, &SaidSizes::experts, &SaidSizes::ep, "experts", "expert ranks"}};

bool comesOut(SizeDivision division, std::int64_t whole, std::int64_t parts) {
    if (whole <= 0 || parts <= 0) {
        return true;
    }
    switch (division) {
        case SizeDivision::ExpertsPerToken:
            return parts <= whole;
        case SizeDivision::KvHeadsWithTp:
            return whole % parts == 0 || parts % whole == 0;
        default:
            return whole % parts == 0;
    }
}

}  // namespace

SaidSizes saidSizes(const ModelSpec& model, std::int64_t tp, std::int64_t ep) {
    const AttentionSpec& attention = model.attention;
    const bool isLatent = attention.kind == AttentionKind::Latent;
    return {.hidden = model.hidden,
            .headWidth = isLatent ? attention.vHeadDim : attention.headDim,
            .heads = attention.heads,
            .kvHeads = isLatent ? 0 : attention.kvHeads,
            .vocab = model.vocab,
            .experts = model.moe ? model.moe->experts : 0,
            .expertsPerToken = model.moe ? model.moe->topK : 0,
            .tp = tp,
            .ep = ep};
}

std::vector<UnevenSizes> unevenSizes(const SaidSizes& sizes,
                                     std::span<const SizeDivision> divisions) {
    std::vector<UnevenSizes> uneven;
    for (const SizeDivision division : divisions) {
        const auto* const row = std::ranges::find(kDivisions, division, &DivisionRow::division);
        const std::int64_t whole = sizes.*(row->whole);
        const std::int64_t parts = sizes.*(row->parts);
        const bool isFree = division == SizeDivision::HiddenByHeads && sizes.headWidth > 0;
        if (!isFree && !comesOut(division, whole, parts)) {
            const bool chooses = division == SizeDivision::ExpertsPerToken;
            uneven.push_back({division,
                              whole,
                              parts,
                              std::to_string(whole) + " " + std::string(row->wholeName) +
                                  (chooses ? ", and " : " over ") + std::to_string(parts) + " " +
                                  std::string(row->partsName)});
        }
    }
    return uneven;
}

bool isEven(const SaidSizes& sizes, SizeDivision division) {
    return unevenSizes(sizes, {&division, 1}).empty();
}

}  // namespace fabricast
