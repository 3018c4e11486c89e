#include "study/metric_words.h"

namespace fabricast {

std::string targetWord(const std::string& typed) {
    return typed == "step_s" ? "step" : typed == "tokens_per_s" ? "tokens-per-s" : typed;
}

}  // namespace fabricast
