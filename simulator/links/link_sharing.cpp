#include "simulator/links/link_use.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace fabricast {
namespace {

/// What a kind's member puts on a link: seconds of its time for each byte that a rank sends.
struct LinkPart {
    std::uint32_t kind = 0;
    std::uint32_t member = 0;
    double seconds = 0.0;
};
using LinkParts = std::vector<LinkPart>;

class LinkSharing {
public:
    explicit LinkSharing(const StepTraffic& traffic)
        : kinds_(traffic.kinds),
          loads_(traffic.loads),
          flows_(traffic.flows),
          usual_(traffic.usual),
          fastest_(kinds_.size()) {
        for (std::size_t flow = 0; flow < flows_.size(); ++flow) {
            double& fastest = fastest_[flows_[flow].kind];
            fastest = std::max(fastest, flows_[flow].rate);
            flowsOf_[{static_cast<std::uint32_t>(flows_[flow].kind),
                      static_cast<std::uint32_t>(flows_[flow].member)}]
                .push_back(flow);
        }
    }

    std::vector<SimFlow> share(const Topology& topology, const SlowLinks& slow) {
        const std::vector<BytesPerSecond> capacities = resourceCapacities(topology);
        std::vector<SimFlow> shared(flows_.size());
        ResourceIndex number = 0;
        for (const LinkParts& parts : differentLinks(capacities)) {
            if (mayBeFull(parts)) {
                addUses(parts, number++, 1.0, shared);
            }
        }
        for (const auto& [link, factor] : slow) {
            addUses(partsOn(link, capacities[link]), number++, factor, shared);
        }
        for (std::size_t flow = 0; flow < flows_.size(); ++flow) {
            shared[flow].weight = 1.0 / flows_[flow].rate;
        }
        return shared;
    }

private:
    /// What is on each link, once of those on which the same is.
    [[nodiscard]] std::vector<LinkParts> differentLinks(
        const std::vector<BytesPerSecond>& capacities) const {
        std::vector<std::uint32_t> like(capacities.size());  // by link: what is on it so far
        std::vector<LinkParts> different(1);
        for (std::uint32_t kind = 0; kind < loads_.size(); ++kind) {
            for (std::uint32_t member = 0; member < loads_[kind].size(); ++member) {
                std::map<std::pair<std::uint32_t, float>, std::uint32_t> known;
                for (const ResourceUse use : loads_[kind][member]) {
                    const double each = use.share / capacities[use.resource].count();
                    std::uint32_t& now = like[use.resource];
                    // Sums of the same parts in another order are the same load.
                    const auto [entry, isNew] =
                        known.try_emplace({now, static_cast<float>(each)},
                                          static_cast<std::uint32_t>(different.size()));
                    if (isNew) {
                        different.push_back(different[now]);
                        different.back().push_back({kind, member, each});
                    }
                    now = entry->second;
                }
            }
        }
        return remaining(like, different);
    }

    [[nodiscard]] LinkParts partsOn(ResourceIndex link, BytesPerSecond capacity) const {
        LinkParts parts;
        for (std::uint32_t kind = 0; kind < loads_.size(); ++kind) {
            for (std::uint32_t member = 0; member < loads_[kind].size(); ++member) {
                for (const ResourceUse use : loads_[kind][member]) {
                    if (use.resource == link) {
                        parts.push_back({kind, member, use.share / capacity.count()});
                    }
                }
            }
        }
        return parts;
    }

    /// Of all that was on a link at some time, what is on one in the end.
    static std::vector<LinkParts> remaining(const std::vector<std::uint32_t>& like,
                                            std::vector<LinkParts>& different) {
        std::vector<bool> wanted(different.size());
        for (const std::uint32_t number : like) {
            wanted[number] = true;
        }
        std::vector<LinkParts> left;
        for (std::size_t number = 1; number < different.size(); ++number) {
            if (wanted[number]) {
                left.push_back(std::move(different[number]));
            }
        }
        return left;
    }

    /// A stream runs one transfer at a time, but stage transfers concurrently.
    [[nodiscard]] bool mayBeFull(const LinkParts& parts) const {
        std::map<std::tuple<std::size_t, SimStream, std::uint32_t>, double> most;
        for (const LinkPart& part : parts) {
            const TrafficKind& kind = kinds_[part.kind];
            if (kind.stream == SimStream::Pipeline) {
                return true;
            }
            double& load = most[{kind.from, kind.stream, part.member}];
            const double rate = fastest_[part.kind];
            const double share = part.seconds * rate;
            load = std::max(
                load, share / timesLineRate(share, usual_, {.kind = part.kind, .rate = rate}));
        }
        double sum = 0.0;
        for (const auto& [stream, load] : most) {
            sum += load;
        }
        return sum > 1.0;
    }

    /// All members of a kind together take of a link what a transfer alone does.
    void addUses(const LinkParts& parts,
                 ResourceIndex number,
                 double factor,
                 std::vector<SimFlow>& shared) const {
        std::map<std::uint32_t, double> together;
        for (const LinkPart& part : parts) {
            together[part.kind] += part.seconds;
        }
        for (const LinkPart& part : parts) {
            for (const std::size_t flow : flowsOf_.at({part.kind, part.member})) {
                const double all = together[part.kind] * flows_[flow].rate;
                const double share =
                    part.seconds * flows_[flow].rate / timesLineRate(all, usual_, flows_[flow]);
                shared[flow].uses.push_back({number, factor * share});
            }
        }
    }

    const std::vector<TrafficKind>& kinds_;
    const std::vector<KindLoads>& loads_;
    const std::vector<StepFlows::Flow>& flows_;
    const std::vector<double>& usual_;
    std::vector<double> fastest_;  ///< by kind
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> flowsOf_;
};

}  // namespace

double timesLineRate(double share, const std::vector<double>& usual, const StepFlows::Flow& flow) {
    return std::max(1.0, usual.empty() ? share : std::min(share, usual[flow.kind] * flow.rate));
}

std::vector<SimFlow> sharedFlows(const StepTraffic& traffic,
                                 const Topology& topology,
                                 const SlowLinks& slow) {
    return LinkSharing(traffic).share(topology, slow);
}

}  // namespace fabricast
