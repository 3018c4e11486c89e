#include "probes/fit/fit_runtime.h"

#include "planner/base/quantity_text.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>

namespace fabricast {
namespace {

using namespace literals;

/// What is smaller or larger is no memory of one process's libraries: somebody else came or went.
constexpr Bytes kLeast = 16_MiB;
constexpr Bytes kMostOverhead = 4_GiB;

class RuntimeFitter {
public:
    RuntimeFitter(const RuntimeMemory& known,
                  std::span<const RecordedPoint> points,
                  const std::string& from)
        : from_(from) {
        result_.runtime = known;
        for (const RecordedPoint& point : points) {
            if (point.what == "footprint") {
                keep(point);
            }
        }
    }

    FittedRuntime run() && {
        fitContext();
        fitCommunicator();
        return std::move(result_);
    }

private:
    void leaveOut(const std::string& what, const std::string& why) {
        result_.leftOut.push_back(what + ": " + why);
    }

    void keep(const RecordedPoint& point) {
        std::string why = point.refused;
        if (why.empty() && point.word("shared_gpu") == "yes") {
            why = "ranks shared a GPU";
        } else if (why.empty() && (point.unit != "B" || point.samples.empty())) {
            why = "it has no bytes";
        } else if (why.empty() && point.fact("ranks", 2.0) < 2.0) {
            why = "one rank has no buffers for others";
        }
        if (why.empty()) {
            points_[point.setting("of", "")].push_back(&point);
        } else {
            leaveOut(point.text, why);
        }
    }

    /// The median of all points of a kind; negative where there is none.
    [[nodiscard]] double medianOf(const std::string& of) const {
        const auto found = points_.find(of);
        if (found == points_.end()) {
            return -1.0;
        }
        std::vector<double> values;
        for (const RecordedPoint* const point : found->second) {
            values.push_back(point->median);
        }
        std::ranges::sort(values);
        return values[values.size() / 2];
    }
    [[nodiscard]] std::size_t countOf(std::initializer_list<const char*> kinds) const {
        std::size_t count = 0;
        for (const char* const kind : kinds) {
            const auto found = points_.find(kind);
            count += found == points_.end() ? 0 : found->second.size();
        }
        return count;
    }

    void set(const char* name,
             Sourced<Bytes>& number,
             double measured,
             std::size_t count,
             const std::string& note) {
        if (!(measured >= static_cast<double>(kLeast.count()) &&
              measured <= static_cast<double>(kMostOverhead.count()))) {
            leaveOut(name,
                     "not between " + shortText(kLeast) + " and " + shortText(kMostOverhead) +
                         ": others used the GPU's memory meanwhile");
            return;
        }
        const Bytes now(std::llround(measured));
        result_.changes.push_back({.name = name,
                                   .points = count,
                                   .spread = -1.0,
                                   .before = number.value ? shortText(*number.value) : "unknown",
                                   .now = shortText(now)});
        number = {.value = now, .source = Source::Measured, .note = note, .from = from_};
    }

    void fitContext() {
        const double context = medianOf("context");
        const double products = medianOf("cublaslt");
        const double attention = medianOf("cudnn");
        if (context < 0.0 && products < 0.0) {
            return;
        }
        if (context < 0.0 || products < 0.0) {
            leaveOut("context",
                     "footprint of=context and of=cublaslt are wanted together, in one sitting");
            return;
        }
        set("context",
            result_.runtime.context,
            context + products + std::max(attention, 0.0),
            countOf({"context", "cublaslt", "cudnn"}),
            attention < 0.0 ? "CUDA and cuBLASLt; cuDNN was not measured"
                            : "CUDA, cuBLASLt and cuDNN");
    }

    void fitCommunicator() {
        const double split = medianOf("nccl_split");
        const double first = medianOf("nccl_first_call");
        if (first < 0.0) {
            return;
        }
        const RecordedPoint& point = *points_.at("nccl_first_call").front();
        const Sourced<Bytes> usual = result_.runtime.communicator;
        const auto ranks = std::to_string(std::llround(point.fact("ranks", 0.0)));
        set("communicator",
            result_.runtime.communicator,
            std::max(split, 0.0) + first,
            countOf({"nccl_split", "nccl_first_call"}),
            "a group of " + ranks + " ranks after one all-reduce; others may take as much as hi");
        Sourced<Bytes>& now = result_.runtime.communicator;
        // Other collectives connect more channels, which one all-reduce does not show.
        if (now.value && usual.hi && now.source == Source::Measured) {
            now.hi = std::max(*now.value, *usual.hi);
        }
    }

    const std::string& from_;
    std::map<std::string, std::vector<const RecordedPoint*>> points_;
    FittedRuntime result_;
};

}  // namespace

FittedRuntime fitRuntime(const RuntimeMemory& known,
                         std::span<const RecordedPoint> points,
                         const std::string& from) {
    return RuntimeFitter(known, points, from).run();
}

}  // namespace fabricast
