#include "probes/mpi/collectives.h"
#include "probes/mpi/mpi_checks.h"
#include "probes/mpi/timed_together.h"
#include "probes/record/statistics.h"

#include <algorithm>
#include <array>
#include <optional>

namespace fabricast::probe {

namespace {

/// What one message of MPI can count.
constexpr std::int64_t kMostBytes = std::int64_t{8} << 30;

enum class Kind { AllReduce, AllGather, ReduceScatter, AllToAll, Broadcast, SendReceive };
constexpr std::array<const char*, 6> kNames = {
    "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "send_recv"};

std::optional<Kind> kindOf(const Point& point) {
    for (std::size_t kind = 0; kind < kNames.size(); ++kind) {
        if (point.what == kNames.at(kind)) {
            return static_cast<Kind>(kind);
        }
    }
    return std::nullopt;
}

/// Elements of the whole tensor: as many for every member.
std::size_t elementsOf(const Point& point, const RankGroup& group) {
    const auto n = static_cast<std::size_t>(group.size());
    const auto all = static_cast<std::size_t>(*wholeOf(point, "bytes", 4)) / sizeof(float);
    return std::max(all / n, std::size_t{1}) * n;
}

/// What member m has at i: small whole numbers, whose sums fp32 holds exactly.
float given(int member, std::size_t i) {
    return static_cast<float>((static_cast<std::size_t>(member) * 7 + i) % 61);
}

/// A collective with its buffers, as one member sees it.
class Collective {
public:
    Collective(Kind kind, Wire& wire, const RankGroup& group, std::size_t elements, bool library)
        : kind_(kind), wire_(wire), group_(group), elements_(elements) {
        const std::size_t part = elements / static_cast<std::size_t>(group.size());
        in_.resize(kind == Kind::AllGather ? part : elements);
        out_.resize(kind == Kind::ReduceScatter ? part : elements);
        for (std::size_t i = 0; i < in_.size(); ++i) {
            in_[i] = given(group.index, i);
        }
        if (library) {
            library_.emplace(group);
        }
    }

    void run() { library_ ? runLibrary() : runRing(); }

    /// Elements that are not what they should be after a run.
    [[nodiscard]] double wrong() const {
        double count = 0.0;
        for (std::size_t i = 0; i < out_.size(); ++i) {
            count += out_[i] == expected(i) ? 0.0 : 1.0;
        }
        return count;
    }

private:
    void runRing() {
        switch (kind_) {
            case Kind::AllReduce:
                return ringAllReduce(wire_, group_, in_, out_);
            case Kind::AllGather:
                return ringAllGather(wire_, group_, in_, out_);
            case Kind::ReduceScatter:
                return ringReduceScatter(wire_, group_, in_, out_);
            case Kind::AllToAll:
                return pairwiseAllToAll(wire_, group_, in_, out_);
            case Kind::Broadcast:
                return chainBroadcast(wire_, group_, broadcastBuffer());
            case Kind::SendReceive:
                return shift(wire_, group_, in_, out_);
        }
    }

    void runLibrary() {
        switch (kind_) {
            case Kind::AllReduce:
                return library_->allReduce(in_, out_);
            case Kind::AllGather:
                return library_->allGather(in_, out_);
            case Kind::ReduceScatter:
                return library_->reduceScatter(in_, out_);
            case Kind::AllToAll:
                return library_->allToAll(in_, out_);
            case Kind::Broadcast:
                return library_->broadcast(broadcastBuffer());
            case Kind::SendReceive:
                return shift(wire_, group_, in_, out_);
        }
    }

    /// The first member sends what it has, the others receive into what is checked.
    std::span<float> broadcastBuffer() { return group_.index == 0 ? in_ : out_; }

    [[nodiscard]] float expected(std::size_t i) const {
        const std::size_t part = elements_ / static_cast<std::size_t>(group_.size());
        const auto own = static_cast<std::size_t>(group_.index);
        switch (kind_) {
            case Kind::AllReduce:
                return sum(i);
            case Kind::ReduceScatter:
                return sum(own * part + i);
            case Kind::AllGather:
                return given(static_cast<int>(i / part), i % part);
            case Kind::AllToAll:
                return given(static_cast<int>(i / part), own * part + i % part);
            case Kind::Broadcast:
                return group_.index == 0 ? 0.0F : given(0, i);
            case Kind::SendReceive:
                return given((group_.index + group_.size() - 1) % group_.size(), i);
        }
        return 0.0F;
    }

    [[nodiscard]] float sum(std::size_t i) const {
        float all = 0.0F;
        for (int member = 0; member < group_.size(); ++member) {
            all += given(member, i);
        }
        return all;
    }

    Kind kind_;
    Wire& wire_;
    const RankGroup& group_;
    std::size_t elements_;
    std::vector<float> in_;
    std::vector<float> out_;
    std::optional<LibraryCollectives> library_;
};

/// Bytes over the busiest link per byte of the tensor, as nccl-tests has it.
double busShare(Kind kind, int ranks) {
    const double others = static_cast<double>(ranks - 1) / ranks;
    switch (kind) {
        case Kind::AllReduce:
            return 2.0 * others;
        case Kind::AllGather:
        case Kind::ReduceScatter:
        case Kind::AllToAll:
            return others;
        case Kind::Broadcast:
        case Kind::SendReceive:
            break;
    }
    return 1.0;
}

/// Large ones take long, and vary less.
SampleRule ruleFor() {
    return {.least = 5, .most = 60, .error = 0.01, .seconds = 1.5};
}

}  // namespace

bool isCollective(const Point& point) {
    return kindOf(point).has_value();
}

std::string collectiveFault(const Point& point, const RankGroup& group) {
    const Answer<std::int64_t> bytes = wholeOf(point, "bytes", 4);
    if (!bytes) {
        return bytes.trouble().why;
    }
    if (*bytes > kMostBytes) {
        return "bytes=" + std::to_string(*bytes) + " is more than one message holds: at most " +
               std::to_string(kMostBytes);
    }
    if (group.size() < 2) {
        return "a collective needs 2 ranks or more: start them with mpirun -np";
    }
    const std::string algorithm = wordOr(point, "algorithm", "ring");
    if (algorithm != "ring" && algorithm != "library") {
        return "algorithm=" + algorithm + " is neither ring nor library";
    }
    const std::string type = wordOr(point, "dtype", "fp32");
    return type == "fp32" ? "" : "dtype=" + type + " is not summed over MPI: fp32 is";
}

Measurement measureCollective(Wire& wire, const RankGroup& group, const Point& point) {
    const Kind kind = *kindOf(point);
    const std::size_t elements = elementsOf(point, group);
    const std::string algorithm = wordOr(point, "algorithm", "ring");
    Collective collective(kind, wire, group, elements, algorithm == "library");
    Measurement measurement{.point = point};
    measurement.samples = timedTogether(wire, group, ruleFor(), 2, [&] { collective.run(); });
    measurement.facts["wrong"] = summed(wire, group, collective.wrong());
    measurement.words["algorithm"] = algorithm;
    if (!measurement.samples.empty()) {
        const double rate =
            static_cast<double>(elements * sizeof(float)) / median(measurement.samples) / 1e9;
        measurement.facts["algbw"] = rate;
        measurement.facts["busbw"] = rate * busShare(kind, group.size());
    }
    return measurement;
}

}  // namespace fabricast::probe
