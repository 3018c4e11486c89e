#include "study/own_measurements.h"

#include "planner/budget/cost_of.h"
#include "planner/evidence/correct_machine.h"
#include "planner/load/measured_notes.h"
#include "planner/memory/overheads.h"
#include "planner/profiles/profile_sheet.h"
#include "planner/profiles/profile_store.h"
#include "planner/profiles/read_measured_collectives.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

/// What is known of a machine without the user's files.
struct KnownMachine {
    std::optional<NodeSpec> node;
    std::optional<KernelProfile> kernels;
    RuntimeMemory runtime;
};

template <class T>
std::optional<T> knownOf(Result<T> found) {
    return found ? std::optional(*std::move(found)) : std::nullopt;
}

Result<KnownMachine> knownMachine(const NodeSpec& node) {
    const ProfileStore store = ProfileStore::builtIn();
    KnownMachine known{.node = knownOf(store.node(node.name))};
    if (std::optional<GpuSpec> gpu = knownOf(store.gpu(node.gpu.name)); gpu && gpu->kernels) {
        known.kernels = std::move(gpu->kernels);
        correctKernels(*known.kernels, node.own.factors);
    }
    FABRICAST_ASSIGN(known.runtime, store.runtimeOf(node.gpu.name));
    return known;
}

/// A part of a machine that the user may have measured, and the machine without that.
struct MachinePart {
    std::string_view title;
    ProfileKind kind = ProfileKind::Node;
    std::string_view key;  ///< of the file; empty: all that is in it
    void (*takeAway)(NodeSpec& node, const KnownMachine& known) = nullptr;
};

template <class T>
T orNone(const std::optional<NodeSpec>& node, T PciTopology::*field) {
    return node ? node->pci.*field : T();
}

constexpr auto kMachineParts = std::to_array<MachinePart>(
    {{"kernels",
      ProfileKind::Kernel,
      "",
      [](NodeSpec& node, const KnownMachine& known) { node.gpu.kernels = known.kernels; }},
     {"memory beside tensors",
      ProfileKind::Runtime,
      "",
      [](NodeSpec& node, const KnownMachine& known) { node.gpu.runtime = known.runtime; }},
     {"host memory",
      ProfileKind::Node,
      "host_memory_bandwidth",
      [](NodeSpec& node, const KnownMachine& known) {
          node.hostMemoryBandwidth =
              known.node ? known.node->hostMemoryBandwidth : Sourced<BytesPerSecond>();
      }},
     {"copies to the host",
      ProfileKind::Node,
      "pcie.host_bandwidth",
      [](NodeSpec& node, const KnownMachine& known) {
          node.pci.hostBandwidth = orNone(known.node, &PciTopology::hostBandwidth);
      }},
     {"copies between GPUs",
      ProfileKind::Node,
      "pcie.peer_bandwidth",
      [](NodeSpec& node, const KnownMachine& known) {
          node.pci.peerBandwidth = orNone(known.node, &PciTopology::peerBandwidth);
      }}});

/// The profile that says it of this node; empty: a part that no file has.
std::optional<ProfileFile> fileOf(const MachinePart& part,
                                  const NodeSpec& node,
                                  const ProfileStore& profiles) {
    if (std::ranges::none_of(profiles.files(part.kind), &ProfileFile::isOwn)) {
        return std::nullopt;
    }
    if (part.kind == ProfileKind::Node) {
        return knownOf(profiles.find(part.kind, node.name));
    }
    if (part.kind == ProfileKind::Kernel) {
        const bool isBorrowed = node.gpu.kernels && !node.gpu.kernels->donor.empty();
        return knownOf(
            profiles.find(part.kind, isBorrowed ? node.gpu.kernels->donor : node.gpu.name));
    }
    std::optional<ProfileFile> own = knownOf(profiles.find(part.kind, node.gpu.name));
    return own ? own : knownOf(profiles.find(part.kind, "usual"));
}

/// Up to its day, as versions come behind: "fabricast-probe-cuda, 2026-11-26".
std::string upToDay(const std::string& from) {
    constexpr std::size_t kDay = 10;
    for (std::size_t at = 0; at + kDay <= from.size(); ++at) {
        if (isDay(std::string_view(from).substr(at, kDay))) {
            return from.substr(0, at + kDay);
        }
    }
    return from;
}

/// What the file says of where a part was measured; nothing: it is no measurement.
Result<std::optional<std::string>> measuredFrom(const MachinePart& part, const ProfileFile& file) {
    FABRICAST_ASSIGN(const ProfileSheet sheet, profileSheet(file));
    std::optional<std::string> from;
    for (const ProfileFact& fact : sheet.facts) {
        const bool isMeasured = fact.source == "measured" || fact.source == "fitted";
        const bool isOfPart = part.key.empty() || fact.key == part.key;
        if (isMeasured && isOfPart && (!from || from->empty())) {
            from = upToDay(fact.from);
        }
    }
    return from && from->empty() ? std::optional(sheet.name) : from;
}

Result<std::vector<OwnMeasurement>> ownPartsOf(const NodeSpec& node, const ProfileStore& profiles) {
    std::vector<OwnMeasurement> all;
    std::optional<KnownMachine> known;
    for (const MachinePart& part : kMachineParts) {
        const std::optional<ProfileFile> file = fileOf(part, node, profiles);
        if (!file || !file->isOwn()) {
            continue;
        }
        FABRICAST_ASSIGN(const std::optional<std::string> from, measuredFrom(part, *file));
        if (!from) {
            continue;
        }
        if (!known) {
            FABRICAST_ASSIGN(known, knownMachine(node));
        }
        all.push_back({std::string(kMeasuredNote) + std::string(part.title) + ", " + *from,
                       [takeAway = part.takeAway, known = *known](const Premises& premises) {
                           Premises turned = premises;
                           takeAway(turned.scenario.cluster.node, known);
                           return turned;
                       }});
    }
    return all;
}

bool isPlaceNamed(const MeasuredPlace& place, const std::string& name) {
    return place.own && place.name == name;
}

void takeAwayRows(const std::string& name, CorrectionTable& table) {
    std::erase_if(table.rows, [&](const CollectiveCorrection& row) {
        return isPlaceNamed(table.machines[row.machine], name);
    });
}

/// With it what would step in: the user's own rows of the same machine that it is taken before.
void takeAwayWithTwins(const std::string& name, CorrectionTable& table) {
    std::vector<CollectiveCorrection> its;
    std::ranges::copy_if(table.rows, std::back_inserter(its), [&](const auto& row) {
        return isPlaceNamed(table.machines[row.machine], name);
    });
    std::erase_if(table.rows, [&](const CollectiveCorrection& row) {
        const MeasuredPlace& place = table.machines[row.machine];
        return std::ranges::any_of(its, [&](const CollectiveCorrection& one) {
            return place.own && place.node == table.machines[one.machine].node &&
                   row.machine >= one.machine && row.kind == one.kind &&
                   (row.nodes > 1) == (one.nodes > 1);
        });
    });
}

Premises withoutCollectives(const std::string& name,
                            Premises premises,
                            void (*takeAway)(const std::string& name, CorrectionTable& table)) {
    takeAway(name, premises.timing.nccl.corrections);
    takeAway(name, premises.timing.rccl.corrections);
    for (CollectiveLibrary& other : premises.timing.others) {
        takeAway(name, other.corrections);
    }
    return premises;
}

std::string datedTitle(const MeasuredCollectives& measured) {
    return collectivesTitle(measured.name) + (measured.date.empty() ? "" : ", " + measured.date);
}

OwnMeasurement ownOf(const MeasuredCollectives& measured,
                     void (*takeAway)(const std::string& name,
                                      CorrectionTable& table) = &takeAwayRows) {
    return {std::string(kMeasuredNote) + datedTitle(measured),
            [name = measured.name, takeAway](const Premises& now) {
                return withoutCollectives(name, now, takeAway);
            }};
}

/// Whether it was measured on this machine, and all that is in it by another one as well.
bool isCovered(const MeasuredCollectives& older,
               const NodeSpec& node,
               const std::vector<MeasuredCurve>& known) {
    return older.machine.node.name == node.name &&
           std::ranges::all_of(older.curves, [&](const MeasuredCurve& curve) {
               return std::ranges::any_of(known, [&](const MeasuredCurve& other) {
                   return other.kind == curve.kind && (other.nodes > 1) == (curve.nodes > 1);
               });
           });
}

/// No answer has more than nine digits.
bool isPrintedAlike(double a, double b) {
    constexpr double kLastDigit = 1e-9;
    return a == b || std::abs(a - b) <= kLastDigit * std::max(std::abs(a), std::abs(b));
}

/// Makes the numbers of some layouts again, without one measurement after the other.
class Leaning {
public:
    Leaning(std::span<const Scenario> scenarios,
            const TimingProfiles& timing,
            const Figures& figures)
        : figures_(figures) {
        for (const Scenario& scenario : scenarios) {
            now_.push_back({scenario, timing});
            usual_.push_back(figures(now_.back()));
        }
    }

    [[nodiscard]] bool on(const Turn& without) const {
        Leaning rest = *this;
        return rest.losing(without);
    }

    /// The same, and goes on without it.
    bool losing(const Turn& without) {
        bool isOther = false;
        for (std::size_t i = 0; i < now_.size(); ++i) {
            now_[i] = without(now_[i]);
            std::vector<double> rest = figures_(now_[i]);
            isOther = isOther || !std::ranges::equal(rest, usual_[i], &isPrintedAlike);
            usual_[i] = std::move(rest);
        }
        return isOther;
    }

private:
    const Figures& figures_;
    std::vector<Premises> now_;
    std::vector<std::vector<double>> usual_;
};

Result<void> addCollectives(const ProfileStore& profiles,
                            const NodeSpec& node,
                            Leaning leaning,
                            std::vector<std::string>& notes) {
    FABRICAST_ASSIGN(const std::vector<MeasuredCollectives> all, profiles.measuredCollectives());
    // From the last choice to the first, each without those after it: none of them steps in for it.
    std::vector<bool> isUsed(all.size());
    for (std::size_t left = all.size(); left > 0; --left) {
        const MeasuredCollectives& measured = all[left - 1];
        isUsed[left - 1] = measured.own && leaning.losing(ownOf(measured).without);
    }
    std::vector<MeasuredCurve> known;
    std::string newest;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const MeasuredCollectives& measured = all[i];
        if (!measured.own) {
            continue;
        }
        const OwnMeasurement one = ownOf(measured);
        if (isUsed[i]) {
            notes.push_back(one.note);
            newest = newest.empty() ? datedTitle(measured) : newest;
            known.insert(known.end(), measured.curves.begin(), measured.curves.end());
        } else if (!newest.empty() && isCovered(measured, node, known)) {
            notes.push_back(one.note + std::string(kNotUsed) + newest + " is");
        }
    }
    return {};
}

constexpr std::array kMeasuredKinds = {
    ProfileKind::Kernel, ProfileKind::Runtime, ProfileKind::Node, ProfileKind::Collective};

bool hasOwn(const ProfileStore& profiles) {
    return std::ranges::any_of(kMeasuredKinds, [&](ProfileKind kind) {
        return std::ranges::any_of(profiles.files(kind), &ProfileFile::isOwn);
    });
}

template <class Quantity>
void addHeadline(const Headline<Quantity>& number, std::vector<double>& all) {
    for (const Quantity& one : {number.value, number.lo, number.hi}) {
        all.push_back(static_cast<double>(one.count()));
    }
}

void addMemoryFigures(const Scenario& scenario, std::vector<double>& all) {
    const RuntimeOverhead overhead = runtimeOverhead(scenario);
    addHeadline(overhead.context, all);
    addHeadline(overhead.collectives, all);
}

void addCostFigures(const RunCost& cost, std::vector<double>& all) {
    const Headline<double>& goodput = cost.goodput.share;
    all.insert(all.end(), {goodput.value, goodput.lo, goodput.hi});
    if (cost.perMtok) {
        addHeadline(*cost.perMtok, all);
    }
    if (cost.energyPerMtok) {
        addHeadline(*cost.energyPerMtok, all);
    }
    if (cost.run) {
        addHeadline(cost.run->wall, all);
    }
}

void addStepFigures(const Premises& premises, const Printed& printed, std::vector<double>& all) {
    const Result<StepEstimate> step = estimateStep(premises.scenario, premises.timing);
    if (!step) {
        return;
    }
    addHeadline(step->step, all);
    all.insert(all.end(), step->parts.seconds.begin(), step->parts.seconds.end());
    for (const CommLine& line : step->comm) {
        all.push_back(line.exposed);
        if (printed.calls) {
            all.push_back(line.seconds);
        }
    }
    if (printed.budget) {
        const Scenario& scenario = premises.scenario;
        addCostFigures(costOf(scenario, costedStep(scenario, *step), *printed.budget), all);
    }
}

}  // namespace

Figures figuresOf(const Printed& printed) {
    return [printed](const Premises& premises) {
        std::vector<double> all;
        if (printed.memory) {
            addMemoryFigures(premises.scenario, all);
        }
        if (printed.step) {
            addStepFigures(premises, printed, all);
        }
        return all;
    };
}

Result<std::vector<std::string>> ownMeasurementNotes(std::span<const Scenario> scenarios,
                                                     const Figures& figures,
                                                     const Workbench& bench) {
    std::vector<std::string> notes;
    if (scenarios.empty() || !hasOwn(bench.profiles())) {
        return notes;
    }
    FABRICAST_ASSIGN(const TimingProfiles* timing, bench.timing());
    const NodeSpec& node = scenarios.front().cluster.node;
    const Leaning leaning(scenarios, *timing, figures);
    FABRICAST_ASSIGN(const std::vector<OwnMeasurement> parts, ownPartsOf(node, bench.profiles()));
    for (const OwnMeasurement& part : parts) {
        if (leaning.on(part.without)) {
            notes.push_back(part.note);
        }
    }
    FABRICAST_TRY(addCollectives(bench.profiles(), node, leaning, notes));
    return notes;
}

Result<std::vector<OwnMeasurement>> ownMeasurementsOf(const NodeSpec& node,
                                                      const Workbench& bench) {
    const ProfileStore& profiles = bench.profiles();
    if (!hasOwn(profiles)) {
        return std::vector<OwnMeasurement>();
    }
    FABRICAST_ASSIGN(std::vector<OwnMeasurement> all, ownPartsOf(node, profiles));
    FABRICAST_ASSIGN(const std::vector<MeasuredCollectives> measured,
                     profiles.measuredCollectives());
    for (const MeasuredCollectives& one : measured) {
        if (one.own) {
            all.push_back(ownOf(one, &takeAwayWithTwins));
        }
    }
    return all;
}

Result<std::vector<std::string>> ownMeasurementNotes(std::span<const Plan> plans,
                                                     const BudgetFacts& budget,
                                                     const Workbench& bench) {
    std::vector<Scenario> scenarios;
    for (const Plan& plan : plans) {
        scenarios.push_back(plan.scenario);
    }
    return ownMeasurementNotes(scenarios, figuresOf({.budget = budget}), bench);
}

void addNotes(const std::vector<std::string>& more, std::vector<std::string>& notes) {
    for (const std::string& note : more) {
        if (std::ranges::find(notes, note) == notes.end()) {
            notes.push_back(note);
        }
    }
}

std::string collectivesTitle(std::string_view name) {
    constexpr std::string_view kPrefix = "measured-";
    return std::string(name.substr(name.starts_with(kPrefix) ? kPrefix.size() : 0));
}

}  // namespace fabricast
