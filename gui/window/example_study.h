#pragma once
#include "gui/document/saved_study.h"

namespace fabricast {

/// What a first start shows: a real question with an answer, to be changed into one's own.
Result<SavedStudy> exampleStudy();

}  // namespace fabricast
