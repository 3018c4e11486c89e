#pragma once
#include <string>

namespace fabricast {

/// A file of a profile folder.
struct ProfileText {
    std::string path;  ///< "gpus/lab-rank.json"
    std::string text;
};

}  // namespace fabricast
