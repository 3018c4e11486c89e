#include "planner/report/schedule_report.h"

#include "planner/base/decimal_ticks.h"
#include "planner/base/quantity_text.h"
#include "planner/report/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace fabricast {
namespace {

constexpr std::size_t kDrawingWidth = 90;
constexpr std::size_t kMostLines = 32;

std::string counted(std::size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string scheduleSubject(const PipelineTimeline& timeline) {
    std::string text =
        fmt::format("{} ({}): {} x {}, {}",
                    timeline.schedule,
                    timeline.framework,
                    counted(timeline.ranks.size(), "rank"),
                    counted(static_cast<std::size_t>(timeline.chunks), "stage"),
                    counted(static_cast<std::size_t>(timeline.microBatches), "microbatch"));
    if (timeline.microBatches != 1) {
        text += "es";
        text.erase(text.size() - 3, 1);  // microbatchs
    }
    if (timeline.group > 0 && timeline.chunks > 1) {
        text += fmt::format(" in groups of {}", timeline.group);
    }
    if (timeline.handOver > 0) {
        text += fmt::format(", {} per stage transfer{}",
                            tickText(timeline.handOver, timeline.decimals),
                            timeline.receiveBlocks ? " (the receiver waits)" : "");
    }
    return text;
}

std::string scheduleHead(const PipelineTimeline& timeline) {
    const auto fullest = std::ranges::max_element(
        timeline.ranks, {}, [](const RankTimeline& rank) { return rank.busy; });
    return fmt::format("makespan {}, of which the busiest rank works {}; bubble {}\n",
                       tickText(timeline.makespan, timeline.decimals),
                       tickText(fullest->busy, timeline.decimals),
                       percentText(timeline.bubble()));
}

/// The ranks that are shown; a gap where the middle is left out.
std::vector<std::size_t> shownRanks(std::size_t count, bool everyRank) {
    std::vector<std::size_t> shown;
    for (std::size_t rank = 0; rank < count; ++rank) {
        const bool middle = rank >= kMostLines / 2 && rank + kMostLines / 2 < count;
        if (everyRank || count <= kMostLines || !middle) {
            shown.push_back(rank);
        }
    }
    return shown;
}

std::string drawnLines(const PipelineTimeline& timeline, bool everyRank) {
    const ScheduleDrawing drawing = drawSchedule(timeline, kDrawingWidth);
    const std::size_t width = drawing.lines.front().size();
    std::string text = fmt::format("rank  {:{}}   bubble  in flight\n", "", width);
    std::size_t next = 0;
    for (const std::size_t rank : shownRanks(timeline.ranks.size(), everyRank)) {
        if (rank != next) {
            text += fmt::format("  …   {} more ranks: --verbose shows them\n", rank - next);
        }
        next = rank + 1;
        const RankTimeline& one = timeline.ranks[rank];
        text += fmt::format("{:>4}  {}  {:>7}  {:>9}\n",
                            rank,
                            drawing.lines[rank],
                            percentText(timeline.bubbleOf(one)),
                            one.inFlightPeak);
    }
    return text + "      " + drawing.legend + "\n";
}

}  // namespace

std::string scheduleText(const PipelineTimeline& timeline, bool everyRank) {
    return scheduleHead(timeline) + "  " + scheduleSubject(timeline) + "\n\n" +
           drawnLines(timeline, everyRank);
}

std::string scheduleMarkdown(const PipelineTimeline& timeline) {
    Table table{{{"rank", Align::Right},
                 {"busy", Align::Right},
                 {"end", Align::Right},
                 {"bubble", Align::Right},
                 {"in flight", Align::Right}},
                {}};
    for (std::size_t rank = 0; rank < timeline.ranks.size(); ++rank) {
        const RankTimeline& one = timeline.ranks[rank];
        table.rows.push_back({std::to_string(rank),
                              tickText(one.busy, timeline.decimals),
                              tickText(one.end, timeline.decimals),
                              percentText(timeline.bubbleOf(one)),
                              std::to_string(one.inFlightPeak)});
    }
    return scheduleSubject(timeline) + ": " + scheduleHead(timeline) + "\n```\n" +
           drawnLines(timeline, true) + "```\n\n" + markdownText(table);
}

std::string scheduleCsv(const PipelineTimeline& timeline) {
    Table table{{{"rank"}, {"stage"}, {"pass"}, {"microbatch"}, {"start"}, {"end"}, {"paired"}},
                {}};
    for (std::size_t rank = 0; rank < timeline.ranks.size(); ++rank) {
        for (const TimedAction& timed : timeline.ranks[rank].actions) {
            table.rows.push_back({std::to_string(rank),
                                  std::to_string(timed.action.stage),
                                  std::string(1, letterOf(timed.action.pass)),
                                  std::to_string(timed.action.microBatch),
                                  tickText(timed.start, timeline.decimals),
                                  tickText(timed.end, timeline.decimals),
                                  timed.action.paired ? "next" : ""});
        }
    }
    return csvText(table);
}

}  // namespace fabricast
