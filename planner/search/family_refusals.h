#pragma once
#include "planner/search/candidate_scenarios.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace fabricast {

/// This asks a stack about whole families: it may refuse millions of layouts, most of a family for
/// one reason. Those whose first layout and whose last are refused in the same words are refused.
///     FamilyRefusals refusals(space, scenarios);
///     if (refusals.refuses({.family = family, .recompute = kind})) { continue; }
class FamilyRefusals {
public:
    /// Both outlive it.
    FamilyRefusals(const SearchSpace& space, CandidateScenarios& scenarios);

    /// Whether the stack refuses all of the group's family that recompute as much.
    bool refuses(const Candidate& group);
    /// The same of one size of the micro-batch and all larger ones.
    bool refusesFrom(const Candidate& first);
    /// Layouts that the stack was asked about.
    [[nodiscard]] std::int64_t asked() const { return asked_; }
    /// Whether it takes a layout of the family, or refuses one as it `mayRefuse`. The first reason
    /// of all is kept in `why`.
    bool takesAny(std::uint32_t family,
                  std::string& why,
                  const std::function<bool(const Error&)>& mayRefuse);

private:
    Result<void> ask(const Candidate& candidate);
    enum class Asked : std::uint8_t { Never, Taken, Refused };
    std::string refusalOf(const Candidate& candidate);
    bool isLastRefused(const Candidate& first, std::uint16_t lastRecompute, const std::string& why);
    bool refusesWhole(std::uint32_t family);

    const SearchSpace& space_;
    CandidateScenarios& scenarios_;
    std::int64_t asked_ = 0;
    std::size_t kinds_ = 0;      ///< the most that a stack has of what is recomputed
    std::vector<Asked> kind_;    ///< by family and what is recomputed
    std::vector<Asked> family_;  ///< by family, whatever is recomputed
};

}  // namespace fabricast
