#pragma once
#include "planner/budget/cost_of.h"
#include "planner/profiles/profile_store.h"
#include "tests/planner/estimate/estimate_example.h"

namespace fabricast {

/// The built-in market prices and the usual site.
inline BudgetFacts exampleFacts() {
    const ProfileStore profiles = ProfileStore::builtIn();
    return {.price = profiles.price("market-2026-05").value(),
            .site = profiles.site("typical").value()};
}

/// 64 sequences of 8192 tokens in two seconds, as exampleRun has them.
inline CostedStep exampleCosted() {
    return {.step = {Seconds(2.0), Seconds(1.6), Seconds(2.5), Evidence::Modelled},
            .busy = 1.0,
            .checkpoint = Bytes(96'363'134'976)};
}

}  // namespace fabricast
