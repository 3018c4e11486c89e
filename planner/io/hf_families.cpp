#include "planner/io/hf_families.h"

#include "planner/io/hf_gpt.h"

namespace fabricast {

std::vector<HfFamily> hfFamilies() {
    std::vector<HfFamily> families;
    for (const std::span<const HfDecoder> table : {hfDenseFamilies(), hfSparseFamilies()}) {
        for (const HfDecoder& decoder : table) {
            families.push_back({decoder.modelType, decoder.className, &decoder});
        }
    }
    for (const HfGptFamily& family : hfGptFamilies()) {
        families.push_back({family.modelType, family.className, nullptr, family.read});
    }
    return families;
}

}  // namespace fabricast
