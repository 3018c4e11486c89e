#include "probes/fit/fit_node.h"

#include "planner/base/quantity_text.h"
#include "planner/profiles/most_of_peak.h"
#include "planner/profiles/profile_store.h"
#include "planner/profiles/sourced_json.h"
#include "probes/fit/fit_demands.h"
#include "probes/fit/record_tables.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fabricast {
namespace {

/// Smaller copies are mostly their beginning.
constexpr double kLargeCopy = 64.0 * 1024 * 1024;

/// Four digits: more would claim what no clock knows.
BytesPerSecond roundedRate(double value) {
    const double step = std::pow(10.0, std::floor(std::log10(value)) - 3);
    return BytesPerSecond(std::round(value / step) * step);
}

std::string beforeText(const Sourced<BytesPerSecond>& number) {
    return number.value ? shortText(*number.value) + ", " + std::string(sourceName(number.source))
                        : "unknown";
}

/// The rate of a node's memory by its data sheet; empty: not known. What an earlier sitting
/// measured is no bound of a later one.
Sourced<BytesPerSecond> memoryLine(const NodeSpec& node) {
    if (node.hostMemoryBandwidth.source != Source::Measured) {
        return node.hostMemoryBandwidth;
    }
    const Result<NodeSpec> builtIn = ProfileStore::builtIn().node(node.name);
    return builtIn && builtIn->hostMemoryBandwidth.source != Source::Measured
               ? builtIn->hostMemoryBandwidth
               : Sourced<BytesPerSecond>();
}

bool isHostMemory(const RecordedPoint& point) {
    return point.what == "memory" && point.settings.contains("threads");
}

bool isCopy(const RecordedPoint& point) {
    return point.what == "transfer" && point.setting("kind", "") != "both";
}

class NodeFitter {
public:
    NodeFitter(const NodeSpec& node,
               const MergedMeasurements& record,
               const std::string& from,
               bool isForced)
        : node_(node), record_(record), from_(from), isForced_(isForced) {}

    FittedNode run() && {
        if (const std::string other = otherHost(); !other.empty()) {
            result_.isOtherHost = true;
            leaveOutHost("memory of the host", &isHostMemory, other);
            leaveOutHost("copies of GPUs", &isCopy, other);
            return std::move(result_);
        }
        fitHostLink();
        fitPeers();
        fitMemory();
        return std::move(result_);
    }

private:
    void leaveOut(const std::string& what, const std::string& why) {
        result_.leftOut.push_back(what + ": " + why);
    }

    /// Why the host that was measured is not the node; empty: it may be, or is taken for it.
    [[nodiscard]] std::string otherHost() const {
        return isForced_ ? ""
                         : otherHostBecause(node_,
                                            numberSaidOf(record_, "host.memory"),
                                            numberSaidOf(record_, "host.threads"));
    }
    void leaveOutHost(const std::string& what,
                      bool (*isOne)(const RecordedPoint&),
                      const std::string& why) {
        if (std::ranges::any_of(record_.points, isOne)) {
            leaveOut(
                what,
                "that host is not " + node_.name + ": " + why + " (--force takes it all the same)");
        }
    }

    /// Bytes a second of the points that `isOne` takes.
    template <class IsOne>
    std::vector<double> ratesOf(const IsOne& isOne) {
        std::vector<double> rates;
        for (const RecordedPoint& point : record_.points) {
            if (!isOne(point)) {
                continue;
            }
            const double bytes = point.fact("bytes", 0.0);
            const std::string why = !point.refused.empty()            ? point.refused
                                    : point.fact("wrong", 0.0) != 0.0 ? "its results were wrong"
                                    : point.unit != "s" || !(point.median > 0.0) || !(bytes > 0.0)
                                        ? "it has no rate"
                                        : "";
            if (why.empty()) {
                rates.push_back(bytes / point.median);
            } else {
                leaveOut(point.text, why);
            }
        }
        return rates;
    }

    std::vector<double> copyRates(const std::string& kind) {
        return ratesOf([&](const RecordedPoint& point) {
            return point.what == "transfer" && point.setting("kind", "") == kind &&
                   (point.fact("bytes", kLargeCopy) >= kLargeCopy || !point.refused.empty());
        });
    }

    void set(const std::string& path,
             const Sourced<BytesPerSecond>& known,
             Sourced<BytesPerSecond> now,
             std::size_t points,
             double spread) {
        now.source = Source::Measured;
        now.from = from_;
        result_.changes.push_back({.name = path,
                                   .points = points,
                                   .spread = spread,
                                   .before = beforeText(known),
                                   .now = shortText(*now.value)});
        result_.numbers.push_back({path, std::move(now)});
    }

    /// Nothing is faster than its line; what seems so was served by a cache, or never copied. Nor
    /// is anything a thousand times slower: such a time has another unit, or a clock that jumped.
    bool isImpossible(const std::string& what, double rate, const Sourced<BytesPerSecond>& line) {
        const double most = line.value ? line.value->count() : rate;
        const bool tooFast = rate > most;
        const bool tooSlow = rate * kMostSlowed < most;
        if (tooFast || tooSlow) {
            leaveOut(what,
                     shortText(BytesPerSecond(rate)) +
                         (tooFast ? " is more than the line's "
                                  : " is less than a thousandth of the line's ") +
                         shortText(BytesPerSecond(most)));
        }
        return tooFast || tooSlow;
    }
    /// A GPU that reaches its CPU over another link than PCIe has no such line.
    [[nodiscard]] Sourced<BytesPerSecond> hostLine() const {
        return node_.pci.hostLink.empty() ? node_.gpu.pcieBandwidth : Sourced<BytesPerSecond>();
    }

    void fitHostLink() {
        const std::vector<double> up = copyRates("h2d");
        const std::vector<double> down = copyRates("d2h");
        if (up.empty() && down.empty()) {
            return;
        }
        const MiddleValue to = middleOf(up);
        const MiddleValue from = middleOf(down);
        const bool both = !up.empty() && !down.empty();
        const bool slowerUp = down.empty() || (both && to.value <= from.value);
        const double fastest = std::max(to.value, from.value);
        const MiddleValue& slower = slowerUp ? to : from;
        if (isImpossible("transfer", fastest, hostLine()) ||
            isImpossible("transfer", slower.value, hostLine())) {
            return;
        }
        Sourced<BytesPerSecond> now{.value = roundedRate(slower.value)};
        now.note = std::string("pinned memory, ") + (slowerUp ? "to" : "from") + " one GPU" +
                   (both ? "; the other way " + shortText(BytesPerSecond(fastest)) : "");
        set("pcie.host_bandwidth",
            node_.pci.hostBandwidth,
            std::move(now),
            up.size() + down.size(),
            std::max(to.spread, from.spread));
    }

    void fitPeers() {
        bool direct = true;
        const std::vector<double> rates = ratesOf([&](const RecordedPoint& point) {
            const bool isOne = point.what == "transfer" && point.setting("kind", "") == "p2p";
            direct = direct &&
                     (!isOne || !point.refused.empty() || point.word("algorithm") == "peer access");
            return isOne && (!point.refused.empty() || point.fact("bytes", 0.0) >= kLargeCopy);
        });
        if (rates.empty()) {
            return;
        }
        const MiddleValue found = middleOf(rates);
        if (node_.gpuFabric != "pcie") {
            leaveOut("transfer kind=p2p",
                     "the GPUs of " + node_.name + " are joined by " + node_.gpuFabric +
                         ": its rate comes from collectives");
        } else if (!direct) {
            leaveOut("transfer kind=p2p",
                     "the GPUs do not reach each other: it went through the host");
        } else if (!isImpossible("transfer kind=p2p", found.value, node_.gpu.pcieBandwidth)) {
            set("pcie.peer_bandwidth",
                node_.pci.peerBandwidth,
                {.value = roundedRate(found.value), .note = "from the first GPU to the second"},
                rates.size(),
                found.spread);
        }
    }

    /// All CPUs together, copy or triad, whichever was faster.
    void fitMemory() {
        const std::string usable = saidOf(record_, "host.usable_threads");
        const std::string all = saidOf(record_, "host.threads");
        const std::vector<double> rates = ratesOf([&](const RecordedPoint& point) {
            return isHostMemory(point) && point.setting("threads", "") == usable;
        });
        if (rates.empty()) {
            return;
        }
        const double best = *std::ranges::max_element(rates);
        if (usable != all) {
            leaveOut("memory of the host",
                     "only " + usable + " of " + all + " CPUs could be used: that is not the node");
        } else if (!isImpossible("memory of the host", best, memoryLine(node_))) {
            set("host_memory_bandwidth",
                node_.hostMemoryBandwidth,
                {.value = roundedRate(best), .note = "copy or triad on all " + all + " CPUs"},
                rates.size(),
                1.0 - *std::ranges::min_element(rates) / best);
        }
    }

    const NodeSpec& node_;
    const MergedMeasurements& record_;
    const std::string& from_;
    bool isForced_;
    FittedNode result_;
};

}  // namespace

FittedNode fitNode(const NodeSpec& node,
                   const MergedMeasurements& record,
                   const std::string& from,
                   bool isForced) {
    return NodeFitter(node, record, from, isForced).run();
}

bool isNodePoint(const RecordedPoint& point) {
    return isHostMemory(point) || isCopy(point);
}

}  // namespace fabricast
