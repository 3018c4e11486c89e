#include "planner/load/load_question.h"
#include "planner/request/budget_request.h"

#include <string>
#include <utility>

namespace fabricast {
namespace {

constexpr const char* kUsualPrices = "market-2026-05";
constexpr const char* kUsualSite = "typical";

bool isFile(const std::string& name) {
    return name.find('/') != std::string::npos || name.ends_with(".json");
}

Result<InputText> textOf(const ProfileWish& wish, const Folders& folders) {
    return readInputText(pathFrom(wish.typed ? folders.typed : folders.file, wish.name),
                         folders.known);
}

Result<PriceProfile> priceOf(const ProfileWish& wish,
                             const ProfileStore& profiles,
                             const Folders& folders) {
    if (!isFile(wish.name)) {
        return profiles.price(wish.name.empty() ? kUsualPrices : wish.name, wish.where);
    }
    Result<InputText> input = textOf(wish, folders);
    if (!input) {
        input.error().hint =
            "--price '$2.10/h', a name of fabricast profiles list, or its JSON file";
        return tl::unexpected(std::move(input.error()));
    }
    return profiles.priceIn(input->text, input->path);
}

/// An hour of a rented GPU costs what was given, on whatever terms.
Result<PriceProfile> givenPrices(const BudgetRequest& request, const ProfileStore& profiles) {
    PriceProfile prices{.name = "given prices"};
    for (const PricedGpu& one : request.pricedGpus) {
        FABRICAST_ASSIGN(const GpuSpec gpu, profiles.gpu(one.gpu, request.price.where));
        const Sourced<UsdPerHour> rent{.value = one.price};
        if (!prices.gpus
                 .emplace(gpu.name, GpuPrice{.onDemand = rent, .reserved = rent, .spot = rent})
                 .second) {
            return fail(Error::Code::BadInput,
                        request.price.where,
                        "two prices of " + gpu.name,
                        "one price of each GPU");
        }
    }
    return prices;
}

Result<SiteProfile> siteOf(const ProfileWish& wish,
                           const ProfileStore& profiles,
                           const Folders& folders) {
    if (!isFile(wish.name)) {
        return profiles.site(wish.name.empty() ? kUsualSite : wish.name, wish.where);
    }
    FABRICAST_ASSIGN(const InputText input, textOf(wish, folders));
    return profiles.siteIn(input.text, input.path);
}

}  // namespace

Result<BudgetFacts> loadBudget(const JsonValue& root,
                               const ProfileStore& profiles,
                               const Folders& folders) {
    FABRICAST_ASSIGN(const BudgetRequest request, readBudgetRequest(root));
    BudgetFacts facts{.kind = request.kind,
                      .utilisation = request.utilisation,
                      .perGpuHour = request.perGpuHour,
                      .checkpoint = request.checkpoint,
                      .interval = request.interval,
                      .intervalSteps = request.intervalSteps,
                      .gpuMtbf = request.gpuMtbf,
                      .length = request.length};
    if (!request.pricedGpus.empty()) {
        FABRICAST_ASSIGN(facts.price, givenPrices(request, profiles));
    } else if (!request.perGpuHour) {
        FABRICAST_ASSIGN(facts.price, priceOf(request.price, profiles, folders));
    }
    if (request.years) {
        facts.price.ownership.years.value = request.years;
    }
    FABRICAST_ASSIGN(facts.site, siteOf(request.site, profiles, folders));
    return facts;
}

}  // namespace fabricast
