#include "planner/spec/check_settings.h"
#include "planner/spec/names.h"
#include "planner/spec/setting_names.h"

#include <string>
#include <string_view>
#include <utility>

namespace fabricast {

namespace {

constexpr const char* kSteps = "settings.outer.steps";

Result<void> refuseOuter(std::string where, std::string why, std::string hint) {
    return fail(Error::Code::BadInput, std::move(where), std::move(why), std::move(hint));
}

/// A setting of outer steps that there are none of.
Result<void> checkUnused(const OuterSettings& outer) {
    const OuterSettings usual;
    const std::string_view key = outer.wire != usual.wire             ? "wire"
                                 : outer.overlap != usual.overlap     ? "overlap"
                                 : outer.fragments != usual.fragments ? "fragments"
                                 : outer.place != usual.place         ? "place"
                                                                      : "";
    return key.empty() ? Result<void>()
                       : refuseOuter("settings.outer." + std::string(key),
                                     "there are no outer steps, so nothing uses it",
                                     std::string(kSteps) + "=100");
}

Result<void> checkWire(Dtype wire) {
    switch (wire) {
        case Dtype::Fp32:
        case Dtype::Bf16:
        case Dtype::Fp16:
        case Dtype::Fp8:
        case Dtype::Int8:
            return {};
        default:
            return refuseOuter("settings.outer.wire",
                               "an exchange in " + std::string(nameOf(wire)) + " is not modelled",
                               "fp32, bf16, fp16, fp8 or int8");
    }
}

Result<void> checkPlace(const NodeSpec& node, OuterPlace place) {
    const bool isKnown = node.gpu.pcieBandwidth.value || node.pci.hostBandwidth.value;
    if (place == OuterPlace::Gpu || isKnown) {
        return {};
    }
    return refuseOuter("settings.outer.place",
                       "the copy rate between " + node.gpu.name + " and host memory is not known",
                       "settings.outer.place=gpu");
}

/// Each site has a whole model, and as many data parallel ranks as the others.
Result<void> checkRanks(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const std::int64_t sites = scenario.cluster.sites.count;
    const std::string count = std::to_string(sites);
    if (layout.dp % sites != 0) {
        return refuseOuter("layout.dp",
                           std::to_string(layout.dp) +
                               " data parallel ranks are not divided evenly over " + count +
                               " sites, each of which trains a whole model between outer steps",
                           "a multiple of " + count + ", or " + kSteps + "=0");
    }
    const std::int64_t stage = layout.world() / layout.pp / sites;
    if (layout.shardSize > 0 && layout.replicas() / sites % layout.shardSize != 0) {
        return refuseOuter("layout.shard_size",
                           std::to_string(layout.shardSize) +
                               " does not divide dp x cp of one site (" +
                               std::to_string(layout.replicas() / sites) + ")",
                           std::string("a smaller one, or ") + kSteps + "=0");
    }
    if (stage % (layout.ep * layout.etp) != 0) {
        return refuseOuter("layout.ep",
                           "ep x etp does not divide the ranks of a stage at one site (" +
                               std::to_string(stage) + ")",
                           std::string("a smaller ep, or ") + kSteps + "=0");
    }
    return {};
}

}  // namespace

Result<void> checkOuter(const Scenario& scenario) {
    const OuterSettings& outer = scenario.settings.outer;
    if (outer.steps == 0) {
        return checkUnused(outer);
    }
    if (scenario.cluster.sites.count == 1) {
        const std::int64_t nodes = scenario.cluster.nodes;
        const std::string even = nodes % 2 == 0 ? "" : "-n " + std::to_string(nodes + 1) + " ";
        return refuseOuter(kSteps,
                           "outer steps join sites that train apart, and there is one site",
                           even + "--sites 2 --wan 100Gbps");
    }
    if (scenario.settings.tuning == Tuning::Lora) {
        return fail(Error::Code::Unsupported,
                    kSteps,
                    "outer steps of adapters are not modelled",
                    std::string(kSteps) + "=0, or settings.tuning=full");
    }
    if (outer.fragments > outer.steps) {
        return refuseOuter("settings.outer.fragments",
                           std::to_string(outer.fragments) +
                               " fragments, each exchanged after a step of its own, are more than "
                               "the " +
                               std::to_string(outer.steps) + " steps between two outer steps",
                           "settings.outer.fragments=" + std::to_string(outer.steps));
    }
    FABRICAST_TRY(checkWire(outer.wire));
    FABRICAST_TRY(checkPlace(scenario.cluster.node, outer.place));
    return checkRanks(scenario);
}

}  // namespace fabricast
