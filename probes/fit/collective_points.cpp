#include "probes/fit/collective_points.h"

#include "planner/profiles/possible_collective.h"
#include "planner/profiles/read_measured_collectives.h"
#include "planner/text/json_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace fabricast {
namespace {

constexpr int kPointDigits = 5;

/// nccl-tests' own names are understood too.
constexpr std::array<std::pair<std::string_view, CollectiveKind>, 9> kNames = {{
    {"all_reduce", CollectiveKind::AllReduce},
    {"all_gather", CollectiveKind::AllGather},
    {"reduce_scatter", CollectiveKind::ReduceScatter},
    {"broadcast", CollectiveKind::Broadcast},
    {"reduce", CollectiveKind::Reduce},
    {"all_to_all", CollectiveKind::AllToAll},
    {"alltoall", CollectiveKind::AllToAll},
    {"send_recv", CollectiveKind::SendReceive},
    {"sendrecv", CollectiveKind::SendReceive},
}};

using GroupKey = std::tuple<CollectiveKind, std::int64_t, std::int64_t>;  ///< kind, ranks, nodes
/// Stride, whether one group worked alone, and type: the forecast does not tell groups apart by
/// them. Alone a group has all network ports to itself.
using VariantKey = std::tuple<std::int64_t, bool, std::string>;
using Times = std::map<std::int64_t, Seconds>;  ///< by bytes
using Variants = std::map<VariantKey, Times>;

std::string variantName(const VariantKey& key) {
    const auto& [stride, alone, dtype] = key;
    return "stride=" + std::to_string(stride) + (alone ? " groups=1" : "") +
           (dtype.empty() ? "" : " dtype=" + dtype);
}

std::string groupName(const GroupKey& key) {
    return std::string(collectiveName(std::get<0>(key))) +
           " ranks=" + std::to_string(std::get<1>(key)) +
           " nodes=" + std::to_string(std::get<2>(key));
}

/// Why a point says nothing of the machine's collectives; empty where it does.
std::string uselessBecause(const RecordedPoint& point, std::int64_t ranks) {
    if (!point.refused.empty()) {
        return point.refused;
    }
    if (point.fact("wrong", 0.0) != 0.0) {
        return "its results were wrong";
    }
    if (point.word("shared_gpu") == "yes") {
        return "its ranks shared a GPU";
    }
    if (ranks < 2) {
        return "one rank talks to nobody";
    }
    if (point.unit != "s" || !(point.median > 0.0)) {
        return "it has no time";
    }
    return "";
}

std::string shortMicroseconds(double value) {
    std::array<char, 32> text{};
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 6);
    return {text.data(), end.ptr};
}

class Collector {
public:
    Result<void> add(const RecordedPoint& point) {
        const auto kind = collectiveOf(point);
        if (!kind) {
            return {};
        }
        FABRICAST_ASSIGN(const std::int64_t ranks, wholeSetting(point, "ranks", 1));
        FABRICAST_ASSIGN(const std::int64_t nodes, wholeSetting(point, "nodes", 1));
        FABRICAST_ASSIGN(const std::int64_t bytes, wholeSetting(point, "bytes", 1));
        std::int64_t stride = 1;
        if (point.settings.contains("stride")) {
            FABRICAST_ASSIGN(stride, wholeSetting(point, "stride", 1));
        }
        if (nodes > ranks || ranks > kMostCollectiveRanks) {
            return fail(Error::Code::BadInput,
                        point.where,
                        "'" + point.text + "': " + std::to_string(ranks) + " ranks do not span " +
                            std::to_string(nodes) + " nodes");
        }
        const double microseconds = point.median * 1e6;
        if (static_cast<double>(bytes) > kMostCollectiveBytes ||
            (point.refused.empty() && microseconds > 0 &&
             (microseconds > kMostCollectiveMicroseconds ||
              microseconds < kLeastCollectiveMicroseconds))) {
            return fail(Error::Code::BadInput,
                        point.where,
                        "'" + point.text + "': no collective has " + std::to_string(bytes) +
                            " bytes and takes " + shortMicroseconds(microseconds) + " us",
                        "remove the line, or measure again");
        }
        if (const std::string why = uselessBecause(point, ranks); !why.empty()) {
            result_.leftOut.push_back(point.text + ": " + why);
            return {};
        }
        const TimedCollective timed{
            *kind, ranks, nodes, static_cast<double>(bytes), Seconds(point.median)};
        if (const std::string why = tooSlowBecause(timed); !why.empty()) {
            return fail(Error::Code::BadInput,
                        point.where,
                        "no machine is so slow: " + why,
                        "remove the line, or measure again");
        }
        groups_[{*kind, ranks, nodes}][{
            stride, point.setting("groups", "all") == "1", point.setting("dtype", "")}][bytes] =
            Seconds(point.median);
        return {};
    }

    Result<CollectivePoints> take() {
        for (const auto& [group, variants] : groups_) {
            const auto best = std::ranges::max_element(
                variants, {}, [](const auto& entry) { return entry.second.size(); });
            for (const auto& [key, times] : variants) {
                if (key != best->first) {
                    const bool isTie = times.size() == best->second.size();
                    result_.leftOut.push_back(
                        groupName(group) + " " + variantName(key) + ": " +
                        variantName(best->first) +
                        (isTie ? " has as many sizes and comes first by stride, group and type"
                               : " has more sizes") +
                        ", and one curve is kept of a group");
                }
            }
            if (best->second.size() > kMostCurvePoints) {
                return fail(Error::Code::BadInput,
                            groupName(group),
                            "has " + std::to_string(best->second.size()) +
                                " sizes; a curve has at most " + std::to_string(kMostCurvePoints));
            }
            addCurve(group, best->second);
        }
        return std::move(result_);
    }

private:
    void addCurve(const GroupKey& group, const Times& times) {
        const auto& [kind, ranks, nodes] = group;
        MeasuredCurve curve{.kind = kind, .ranks = ranks, .nodes = nodes};
        for (const auto& [bytes, seconds] : times) {
            curve.points.push_back({static_cast<double>(bytes), seconds});
        }
        result_.used += curve.points.size();
        makeRise(curve);
        result_.curves.push_back(std::move(curve));
    }

    /// Isotonic regression of the logarithms.
    void makeRise(MeasuredCurve& curve) {
        struct Level {
            double sum = 0.0;
            std::size_t points = 0;
            [[nodiscard]] double mean() const { return sum / static_cast<double>(points); }
        };
        std::vector<Level> levels;
        for (const MeasuredCurve::Point& point : curve.points) {
            levels.push_back({std::log(point.seconds.count()), 1});
            while (levels.size() > 1 && levels.back().mean() < levels[levels.size() - 2].mean()) {
                const Level last = levels.back();
                levels.pop_back();
                levels.back().sum += last.sum;
                levels.back().points += last.points;
            }
        }
        std::size_t at = 0;
        for (const Level& level : levels) {
            for (std::size_t left = level.points; left > 0; --left, ++at) {
                Seconds& seconds = curve.points[at].seconds;
                const double moved = std::abs(std::expm1(level.mean() - std::log(seconds.count())));
                if (level.points > 1) {
                    seconds = Seconds(std::exp(level.mean()));
                    result_.mostMoved = std::max(result_.mostMoved, moved);
                }
            }
        }
    }

    std::map<GroupKey, Variants> groups_;
    CollectivePoints result_;
};

/// As many digits as a clock deserves.
double roundedToDigits(double value) {
    std::array<char, 64> text{};
    const auto end = std::to_chars(text.data(),
                                   text.data() + text.size(),
                                   value,
                                   std::chars_format::scientific,
                                   kPointDigits - 1);
    double result = value;
    std::from_chars(text.data(), end.ptr, result);
    return result;
}

void addCurve(JsonText& json, const MeasuredCurve& curve) {
    json.beginObject();
    json.add("collective", collectiveName(curve.kind));
    json.add("ranks", curve.ranks);
    json.add("nodes", curve.nodes);
    json.beginArray("points");
    for (const MeasuredCurve::Point& point : curve.points) {
        json.beginArray();
        json.item(static_cast<std::int64_t>(point.bytes));
        json.item(roundedToDigits(point.seconds.count() * 1e6));
        json.end();
    }
    json.end();
    json.end();
}

}  // namespace

std::optional<CollectiveKind> collectiveOf(const RecordedPoint& point) {
    const auto* const found = std::ranges::find(
        kNames, std::string_view(point.what), [](const auto& entry) { return entry.first; });
    return found == kNames.end() ? std::nullopt : std::optional(found->second);
}

bool isCollective(const RecordedPoint& point) {
    return collectiveOf(point).has_value();
}

Result<CollectivePoints> collectivePoints(std::span<const RecordedPoint> points) {
    Collector collector;
    for (const RecordedPoint& point : points) {
        FABRICAST_TRY(collector.add(point));
    }
    return collector.take();
}

std::string collectivesJson(const CollectivesHead& head, const CollectivePoints& points) {
    JsonText json;
    json.beginObject();
    json.add("schema", "fabricast.collective/1");
    json.add("name", head.name);
    json.add("title", head.title);
    json.add("machine", head.machine);
    if (!head.software.empty()) {
        json.add("software", head.software);
    }
    if (!head.date.empty()) {
        json.add("date", head.date);
    }
    if (!head.begun.empty()) {
        json.add("begun", head.begun);
    }
    json.beginArray("curves");
    for (const MeasuredCurve& curve : points.curves) {
        addCurve(json, curve);
    }
    json.end();
    json.beginArray("sources");
    json.beginObject();
    json.add("keys", "curves");
    json.add("source", "measured");
    json.add("from", head.from);
    if (!head.note.empty()) {
        json.add("note", head.note);
    }
    json.end();
    json.end();
    json.add("notes",
             "[bytes, microseconds]: medians; sizes whose times fell have their common mean");
    json.end();
    return std::move(json).finish();
}

}  // namespace fabricast
