#pragma once
#include "planner/base/result.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace fabricast {

/// Places of points by what tells them from those of other points and questions: `sweepKey`.
using SweepPlaces = std::map<std::string, std::size_t>;

/// Of a digest of the question, and of what each axis is at the point.
std::string sweepKey(const std::string& digest,
                     const std::vector<std::pair<std::string, std::string>>& point);

/// Takes the lines of a file, if there is one, to their places. A last line that is cut, as a kill
/// or a full disk leaves it, is dropped: `note` says so. Other damage, and lines of another sweep,
/// are errors with their number.
Result<void> takeSweepFile(const std::string& file,
                           const SweepPlaces& places,
                           std::vector<std::string>& lines,
                           std::string& note);

}  // namespace fabricast
