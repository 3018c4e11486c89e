#pragma once
#include "study/find_changes.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace fabricast {

/// Judges a changed question by a search that walks through so much at most.
using SearchJudge = std::function<Result<Judgement>(const Question& changed, std::int64_t most)>;

/// Of changes that help those to be shown: in each group what reaches the aim; where nothing does,
/// what comes nearest. Searches to the end what of it was cut short, as long as `search` has walks
/// left. What is no help then makes room for the next, until all that is shown is what the changed
/// question is answered with.
Result<std::vector<TriedChange>> finished(const Question& question,
                                          std::vector<TriedChange> found,
                                          const SearchJudge& judge,
                                          ChangeSearch& search,
                                          const Watch& watch);

/// What more walks might have changed of what is shown; empty: nothing.
std::string cutShortText(const std::vector<TriedChange>& shown, const ChangeSearch& search);

}  // namespace fabricast
