#include "study/collective.h"

#include "planner/base/nearest_name.h"
#include "planner/base/quantity_text.h"
#include "planner/comm/collective_curve.h"
#include "planner/load/find_named.h"
#include "planner/load/measured_notes.h"
#include "study/own_measurements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

/// Sizes of a curve, each so many times the one before.
constexpr std::int64_t kFirstSize = 1024;
constexpr std::int64_t kSizeStep = 4;
constexpr std::int64_t kLargestSize = 1'000'000'000'000'000;

/// "all_reduce", "all-reduce", "AllReduce" and "allreduce" are one name.
std::string foldedName(std::string_view typed) {
    std::string folded;
    for (const char c : typed) {
        if (c != '_' && c != '-') {
            folded += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        }
    }
    return folded;
}

Result<CollectiveKind> collectiveKind(const std::string& typed) {
    for (std::size_t kind = 0; kind < kCollectiveNames.size(); ++kind) {
        if (foldedName(kCollectiveNames[kind]) == foldedName(typed)) {
            return static_cast<CollectiveKind>(kind);
        }
    }
    return fail(Error::Code::BadInput,
                "collective",
                "\"" + typed + "\" is not a collective",
                suggestName(typed, kCollectiveNames));
}

Result<std::int64_t> collectiveRanks(const CollectiveAsk& ask, const ClusterSpec& cluster) {
    const std::int64_t ranks = ask.ranks.value_or(cluster.gpus());
    if (ranks > cluster.gpus()) {
        return fail(Error::Code::BadInput,
                    "--ranks",
                    std::to_string(ranks) + " ranks need as many GPUs, and there are " +
                        std::to_string(cluster.gpus()),
                    "--ranks " + std::to_string(cluster.gpus()) + ", or more nodes with -n");
    }
    if (ranks < 2) {
        return fail(Error::Code::BadInput,
                    "--ranks",
                    "one rank has nobody to talk to",
                    cluster.gpus() > 1 ? "--ranks 2" : "a cluster of more GPUs: -n 2");
    }
    return ranks;
}

/// The ranks are those of the first GPUs: of a last node that they fill in part no time is
/// modelled.
Result<void> checkEvenNodes(std::int64_t ranks, const ClusterLinks& links) {
    const std::int64_t over = ranks % links.nodeGpus;
    if (ranks < links.nodeGpus || over == 0) {
        return {};
    }
    return fail(Error::Code::Unsupported,
                "--ranks",
                std::to_string(ranks) + " ranks are " + std::to_string(over) +
                    " in the last node and " + std::to_string(links.nodeGpus) +
                    " in each other, which is not modelled",
                "--ranks " + std::to_string(ranks - over) + ", or --ranks " +
                    std::to_string(ranks - over + links.nodeGpus));
}

std::string_view evidenceWords(CollectiveEvidence evidence) {
    switch (evidence) {
        case CollectiveEvidence::Measured:
            return "measured on these GPUs with this number of ranks";
        case CollectiveEvidence::NearMeasured:
            return "measured with other ranks, or on GPUs with the same links";
        case CollectiveEvidence::Modelled:
            return "the library's own model, over a kind of links that was measured";
        case CollectiveEvidence::Assumed:
            break;
    }
    return "the library's own model, over links without measurements";
}

/// One collective of one group, ready for any size.
class GroupTimes {
public:
    GroupTimes(CollectiveKind kind, const GroupShape& shape, const CollectiveSetting& setting)
        : prior_(kind, shape, setting.links, setting.model), curve_(kind, shape, setting) {}

    [[nodiscard]] CollectiveTiming at(Bytes size) const {
        const CollectiveTime time = curve_.at(size);
        return {.size = size,
                .seconds = time.seconds,
                .modelled = prior_.at(size).seconds,
                .algorithm = time.algorithm,
                .protocol = time.protocol,
                .channels = time.channels,
                .sent = time.wire};
    }
    [[nodiscard]] CollectiveEvidence evidenceAt(Bytes size) const {
        return curve_.at(size).evidence;
    }

private:
    CollectivePrior prior_;
    CollectiveCurve curve_;
};

/// Of a machine whose file has no name of its own: its node's.
std::string machineName(const MeasuredPlace& place) {
    return place.name.empty() ? place.node : place.name;
}

std::string sizeText(double bytes) {
    return shortText(Bytes(std::llround(bytes)), UnitStyle::Decimal);
}

/// The user's measurements of this machine that do not reach every size of the answer.
std::vector<std::string> unreachedNotes(const CollectiveAnswer& answer,
                                        const GroupShape& shape,
                                        const MeasuredPlace& here,
                                        const CorrectionTable& table) {
    const double most = static_cast<double>(answer.asked.size.count());
    const double least =
        answer.curve.empty() ? most : static_cast<double>(answer.curve.front().size.count());
    std::vector<std::string> notes;
    for (const CollectiveCorrection& row : table.rows) {
        const MeasuredPlace& there = table.machines[row.machine];
        const bool isOfGroup = there.own && there.node == here.node && row.kind == answer.kind &&
                               row.ranks == shape.ranks && row.nodes == shape.nodes &&
                               row.perNode == shape.perNode;
        if (isOfGroup && !(row.reaches(most) && row.reaches(least))) {
            notes.push_back(
                fmt::format("{}{} has sizes of {} to {}, and holds to {:.0f} times beyond them",
                            kMeasuredNote,
                            collectivesTitle(there.name),
                            sizeText(row.leastBytes),
                            sizeText(row.mostBytes),
                            kMeasuredReach));
        }
    }
    return notes;
}

/// The times of this answer under other premises.
Figures timesLike(const CollectiveAnswer& answer) {
    return [&answer](const Premises& now) {
        std::vector<double> all;
        const ClusterSpec& cluster = now.scenario.cluster;
        const CollectiveLibrary& library = now.timing.libraryOf(cluster.node.gpu);
        const Result<ClusterLinks> links = clusterLinks(cluster, library.model);
        if (!links) {
            return all;
        }
        const MeasuredPlace place = placeOf(cluster, *links);
        const GroupTimes times(answer.kind,
                               wholeNodes(answer.ranks, *links),
                               {*links, library.model, place, library.corrections});
        all.push_back(times.at(answer.asked.size).seconds.count());
        for (const CollectiveTiming& one : answer.curve) {
            all.push_back(times.at(one.size).seconds.count());
        }
        return all;
    };
}

}  // namespace

Result<CollectiveAnswer> collective(const CollectiveAsk& ask, const Workbench& bench) {
    FABRICAST_ASSIGN(const CollectiveKind kind, collectiveKind(ask.operation));
    if (ask.size <= Bytes()) {
        return fail(Error::Code::BadInput, "size", "must be above 0", ask.operation + " 1GB");
    }
    if (ask.size.count() > kLargestSize) {
        return fail(Error::Code::BadInput,
                    "size",
                    "is more than a tensor has, at most 1000TB",
                    ask.operation + " 1000TB");
    }
    FABRICAST_ASSIGN(FoundCluster found, findCluster(ask.cluster, bench.profiles(), ask.folders));
    FABRICAST_ASSIGN(const std::int64_t ranks, collectiveRanks(ask, found.cluster));
    FABRICAST_ASSIGN(const TimingProfiles* timing, bench.timing());
    const CollectiveLibrary& library = timing->libraryOf(found.cluster.node.gpu);
    FABRICAST_ASSIGN(const ClusterLinks links, clusterLinks(found.cluster, library.model));
    FABRICAST_TRY(checkEvenNodes(ranks, links));
    const GroupShape shape = wholeNodes(ranks, links);
    const MeasuredPlace place = placeOf(found.cluster, links);
    const GroupTimes times(kind, shape, {links, library.model, place, library.corrections});
    CollectiveAnswer answer{.kind = kind,
                            .ranks = ranks,
                            .nodes = shape.nodes,
                            .perNode = shape.perNode,
                            .asked = times.at(ask.size),
                            .library = library.model.name,
                            .evidence = evidenceWords(times.evidenceAt(ask.size)),
                            .notes = std::move(found.assumed)};
    if (!std::isfinite(answer.asked.seconds.count())) {
        return fail(Error::Code::Unsupported,
                    "cluster",
                    "the network of \"" + found.cluster.name + "\" is not known",
                    "--fabric ib-ndr");
    }
    const ChosenCorrection chosen = chooseCorrection(kind, shape, place, library.corrections);
    if (const auto& correction = correctionAt(chosen, ask.size)) {
        answer.measured = machineName(library.corrections.machines[correction->machine]);
        answer.pooled = correction->pooled;
    }
    FABRICAST_ASSIGN(const std::vector<std::string> corrected,
                     correctionNotes(found.cluster, bench.profiles()));
    std::ranges::copy_if(corrected, std::back_inserter(answer.notes), [](const std::string& note) {
        return note.starts_with(kMeasuredNote);
    });
    answer.cluster = std::move(found.cluster);
    for (std::int64_t size = kFirstSize; ask.curve && size < ask.size.count(); size *= kSizeStep) {
        answer.curve.push_back(times.at(Bytes(size)));
    }
    if (ask.curve) {
        answer.curve.push_back(answer.asked);
    }
    addNotes(unreachedNotes(answer, shape, place, library.corrections), answer.notes);
    Scenario asked;
    asked.cluster = answer.cluster;
    FABRICAST_ASSIGN(const std::vector<std::string> own,
                     ownMeasurementNotes(std::span(&asked, 1), timesLike(answer), bench));
    addNotes(own, answer.notes);
    return answer;
}

}  // namespace fabricast
