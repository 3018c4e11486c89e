#include "study/search_size.h"

#include <string>

namespace fabricast {
namespace {

tl::unexpected<Error> tooMany(const ModelSpec& model,
                              std::int64_t count,
                              const std::string& what,
                              std::int64_t most) {
    return fail(Error::Code::Unsupported,
                "model",
                model.name + " has " + std::to_string(count) + " " + what + ", more than the " +
                    std::to_string(most) + " that are searched",
                "fabricast explain, with a stack and a layout");
}

}  // namespace

Result<void> checkSearchSize(const ModelSpec& model, const SearchSize& most) {
    if (model.layers > most.layers) {
        return tooMany(model, model.layers, "layers", most.layers);
    }
    const std::int64_t experts = model.moe ? model.moe->experts : 0;
    if (experts > most.experts) {
        return tooMany(model, experts, "experts in a layer", most.experts);
    }
    if (experts * model.layers > most.allExperts) {
        return tooMany(model, experts * model.layers, "experts in all layers", most.allExperts);
    }
    return {};
}

}  // namespace fabricast
