#pragma once
#include "planner/result/oom_answer.h"

#include <string>
#include <string_view>

namespace fabricast {

/// An out-of-memory message explained: the parts of the memory, the causes, the ways out.
std::string oomText(const OomAnswer& answer);
std::string oomMarkdown(const OomAnswer& answer);
/// A row per part of the memory, in bytes.
std::string oomCsv(const OomAnswer& answer);
/// "fabricast.oom/1".
std::string oomJson(const OomAnswer& answer, std::string_view version);

}  // namespace fabricast
