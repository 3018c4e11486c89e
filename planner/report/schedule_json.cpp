#include "planner/report/begin_answer.h"
#include "planner/report/schedule_report.h"
#include "planner/text/json_text.h"

#include <cmath>
#include <utility>

namespace fabricast {
namespace {

/// Writes ticks as whole numbers where they are, so that nothing is lost.
class Times {
public:
    Times(JsonText& json, int decimals) : json_(json), decimals_(decimals) {}

    void add(std::string_view key, std::int64_t ticks) {
        if (decimals_ == 0) {
            json_.add(key, ticks);
        } else {
            json_.add(key, value(ticks));
        }
    }
    void item(std::int64_t ticks) {
        if (decimals_ == 0) {
            json_.item(ticks);
        } else {
            json_.item(value(ticks));
        }
    }

private:
    [[nodiscard]] double value(std::int64_t ticks) const {
        return static_cast<double>(ticks) / std::pow(10.0, decimals_);
    }

    JsonText& json_;
    int decimals_;
};

void addRank(JsonText& json, const PipelineTimeline& timeline, const RankTimeline& rank) {
    Times times(json, timeline.decimals);
    json.beginObject();
    json.add("actions", rank.text);
    times.add("busy", rank.busy);
    times.add("end", rank.end);
    times.add("bubble", timeline.makespan - rank.busy);
    json.add("in_flight_peak", rank.inFlightPeak);
    json.add("in_flight_peak_b", rank.untilInput);
    json.add("in_flight_peak_w", rank.inFlightPeak);
    json.add("pending_w_peak", rank.pendingWeights);
    json.beginArray("starts");
    for (const TimedAction& action : rank.actions) {
        times.item(action.start);
    }
    json.end();
    json.end();
}

}  // namespace

std::string scheduleJson(const PipelineTimeline& timeline, std::string_view version) {
    JsonText json;
    Times times(json, timeline.decimals);
    beginAnswer(json, "fabricast.schedule/1", version);
    json.add("schedule", timeline.schedule);
    json.add("stack", timeline.framework);
    json.add("pp", timeline.ranks.size());
    json.add("vpp", timeline.chunks);
    json.add("microbatches", timeline.microBatches);
    if (timeline.group > 0) {
        json.add("group", timeline.group);
    }
    times.add("p2p", timeline.handOver);
    json.add("recv", timeline.receiveBlocks ? "block" : "overlap");
    times.add("makespan", timeline.makespan);
    json.add("bubble_fraction", timeline.bubble());
    json.beginArray("ranks");
    for (const RankTimeline& rank : timeline.ranks) {
        addRank(json, timeline, rank);
    }
    json.end();
    json.beginArray("stages");
    for (const std::int64_t slack : timeline.slack) {
        json.beginObject();
        times.add("slack", slack);
        json.end();
    }
    json.end();
    json.end();
    return std::move(json).finish();
}

}  // namespace fabricast
