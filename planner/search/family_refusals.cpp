#include "planner/search/family_refusals.h"

#include <algorithm>

namespace fabricast {

FamilyRefusals::FamilyRefusals(const SearchSpace& space, CandidateScenarios& scenarios)
    : space_(space), scenarios_(scenarios) {
    for (const std::vector<RecomputeSettings>& kinds : space.recomputes) {
        kinds_ = std::max(kinds_, kinds.size());
    }
    kind_.resize(space.families.size() * kinds_);
    family_.resize(space.families.size());
}

Result<void> FamilyRefusals::ask(const Candidate& candidate) {
    ++asked_;
    FABRICAST_TRY(scenarios_.allowed(candidate));
    return {};
}

/// Why a stack refuses a layout; empty where it takes it.
std::string FamilyRefusals::refusalOf(const Candidate& candidate) {
    const Result<void> allowed = ask(candidate);
    return allowed ? std::string() : allowed.error().why;
}

/// Of the first one's family, with the last of what it may recompute.
bool FamilyRefusals::isLastRefused(const Candidate& first,
                                   std::uint16_t lastRecompute,
                                   const std::string& why) {
    Candidate last = first;
    last.size = static_cast<std::uint16_t>(space_.sizesOf(first.family).size() - 1);
    const std::size_t ways = space_.ways[space_.families[first.family].ways].size();
    last.way = static_cast<std::uint16_t>(ways - 1);
    last.recompute = lastRecompute;
    return refusalOf(last) == why;
}

bool FamilyRefusals::refusesFrom(const Candidate& first) {
    const std::string why = refusalOf(first);
    return !why.empty() && isLastRefused(first, first.recompute, why);
}

/// Most are refused whatever they recompute.
bool FamilyRefusals::refusesWhole(std::uint32_t family) {
    Asked& whole = family_[family];
    if (whole == Asked::Never) {
        const Candidate first{.family = family};
        const std::size_t kinds = space_.recomputesOf(family).size();
        const auto last = static_cast<std::uint16_t>(kinds - 1);
        const std::string why = refusalOf(first);
        const bool refused = !why.empty() && isLastRefused(first, last, why);
        whole = refused ? Asked::Refused : Asked::Taken;
        if (why.empty()) {  // it is the first of those that recompute as little
            kind_[family * kinds_] = Asked::Taken;
        }
    }
    return whole == Asked::Refused;
}

bool FamilyRefusals::refuses(const Candidate& group) {
    if (refusesWhole(group.family)) {
        return true;
    }
    Asked& known = kind_[group.family * kinds_ + group.recompute];
    if (known == Asked::Never) {
        const Candidate first{.family = group.family, .recompute = group.recompute};
        known = refusesFrom(first) ? Asked::Refused : Asked::Taken;
    }
    return known == Asked::Refused;
}

bool FamilyRefusals::takesAny(std::uint32_t family,
                              std::string& why,
                              const std::function<bool(const Error&)>& mayRefuse) {
    if (space_.sizesOf(family).empty() || (!why.empty() && refusesWhole(family))) {
        return false;
    }
    for (const Candidate& candidate : space_.candidatesOf(family)) {
        const Candidate group{.family = family, .recompute = candidate.recompute};
        if (!why.empty() && refuses(group)) {
            continue;
        }
        const Result<void> allowed = ask(candidate);
        if (allowed || mayRefuse(allowed.error())) {
            return true;
        }
        why = why.empty() ? allowed.error().why : why;
    }
    return false;
}

}  // namespace fabricast
