#pragma once
#include "planner/base/result.h"
#include "planner/result/size_answer.h"
#include "study/question.h"
#include "study/size_ask.h"
#include "study/size_catalogue.h"
#include "study/workbench.h"

#include <span>
#include <string>
#include <vector>

namespace fabricast {

/// What is assumed of the clusters that an answer shows: once where it is so of all of them, else
/// with the name of the box. What the catalogue has besides says nothing.
Result<std::vector<std::string>> sizeNotes(std::span<const Question> jobs,
                                           const SizeAsk& ask,
                                           const SizeCatalogue& catalogue,
                                           const SizeAnswer& answer,
                                           const Workbench& bench);

}  // namespace fabricast
