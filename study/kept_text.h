#pragma once
#include "study/question.h"

#include <string>
#include <vector>

namespace fabricast {

/// The text that a question is saved as.
struct KeptText {
    std::string text;
    std::vector<std::string> lost{};  ///< comments of the scenario's file that it does not have
};

/// A question that was read from a scenario's file as the text of that file, as it lies there now,
/// with only what differs written anew: comments, order and spaces stay. Of any other question its
/// document.
KeptText keptText(const Question& question);

}  // namespace fabricast
