#pragma once
#include "planner/base/result.h"
#include "planner/profiles/profile_store.h"
#include "study/question.h"

#include <string>

namespace fabricast {

/// The question as a scenario file in `folder` says it: files that it names are seen from there.
/// Names of profiles and whole paths stay as they are. A model on standard input is refused.
///     FABRICAST_ASSIGN(const Question saved, savedIn("runs", typed, bench.profiles()));
Result<Question> savedIn(const std::string& folder,
                         Question question,
                         const ProfileStore& profiles);

/// The question as an answer repeats it, which is read from any folder: files that it names are
/// whole paths. Standard input stays "-".
Result<Question> withWholePaths(Question question, const ProfileStore& profiles);

}  // namespace fabricast
