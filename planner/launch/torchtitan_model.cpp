#include "planner/launch/torchtitan_model.h"

#include "planner/base/small_letters.h"
#include "planner/stack/model_code.h"
#include "planner/stack/titan.h"

#include <algorithm>
#include <string_view>

namespace fabricast {

std::string modelOfTitan(const TitanModel& titan, const std::string& assets) {
    const std::string wanted = inSmallLetters(assets.substr(assets.find_last_of('/') + 1));
    std::string found;
    for (const KnownTitanModel& one : knownTitanModels()) {
        const bool same = titan.config.empty()
                              ? one.folder == titan.folder && one.flavor == titan.flavor
                              : one.config == titan.config;
        if (same && one.name == wanted) {
            return wanted;
        }
        found = same ? std::string(one.name) : found;
    }
    return found;
}

std::optional<std::span<const std::string_view>> titanNames(std::string_view folder, bool named) {
    const std::span<const TitanFolder> all = titanFolders();
    const auto found = std::ranges::find(all, folder, &TitanFolder::name);
    return found == all.end() ? std::nullopt
                              : std::optional(named ? found->configs : found->flavors);
}

std::string_view newestTitanWith(const Scenario& scenario) {
    const ModelSpec& model = scenario.model;
    if (scenario.settings.kernels.loss == LossKernel::Fp32Upcast) {
        return "0.2.2";  // 0.3.0 has its loss in chunks
    }
    const bool hasFlavor = titanModel(model, false) || titanFlavorModule(model);
    return !titanModel(model, true) && hasFlavor ? "0.2.2" : "0.3.0";
}

Result<TitanModel> titanModel(const ModelSpec& model, bool named) {
    FABRICAST_TRY(checkTitanCode(model));
    const std::span<const KnownTitanModel> all = knownTitanModels();
    const auto known = std::ranges::find(all, model.name, &KnownTitanModel::name);
    const bool has = known != all.end() && !(named ? known->config : known->flavor).empty();
    if (has) {
        return TitanModel{
            std::string(known->folder), std::string(known->flavor), std::string(known->config)};
    }
    const bool isKnown = known != all.end();
    const bool hasOther = (isKnown && !(named ? known->flavor : known->config).empty()) ||
                          (named && titanFlavorModule(model));
    std::string names =
        hasOther ? "--framework-version " + std::string(named ? "0.2.2" : "0.3.0") + ", or " : "";
    names += "one of ";
    std::string_view comma;
    for (const KnownTitanModel& one : knownTitanModels()) {
        if (!(named ? one.config : one.flavor).empty()) {
            names += std::string(comma) + std::string(one.name);
            comma = ", ";
        }
    }
    return fail(Error::Code::Unsupported,
                "model",
                std::string("torchtitan ") + (named ? "0.3.0" : "0.2.2") + " has no config of " +
                    model.name,
                names);
}

}  // namespace fabricast
