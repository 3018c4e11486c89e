#pragma once
#include "planner/spec/scenario.h"

#include <memory>

namespace fabricast {

/// Whether the sites train apart, and average their parameters once in many steps.
bool trainsApart(const Scenario& scenario);

/// Where the sites train apart, the step of one of them, between two outer steps: its nodes, its
/// data parallel ranks and its samples. Else the scenario itself.
///     const OneSite site(scenario);
///     site.scenario().layout.dp    // dp / sites
class OneSite {
public:
    explicit OneSite(const Scenario& scenario);
    OneSite(const OneSite&) = delete;
    OneSite& operator=(const OneSite&) = delete;
    ~OneSite() = default;

    [[nodiscard]] const Scenario& scenario() const { return own_ ? *own_ : all_; }

private:
    const Scenario& all_;
    std::unique_ptr<Scenario> own_;
};

}  // namespace fabricast
