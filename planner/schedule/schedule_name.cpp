#include "planner/schedule/schedule_name.h"

#include "planner/base/nearest_name.h"
#include "planner/spec/names.h"

#include <algorithm>
#include <array>
#include <string>

namespace fabricast {
namespace {

constexpr std::array kNames = {
    ScheduleName{"gpipe", "gpipe", ScheduleKind::Gpipe},
    ScheduleName{"1f1b", "trainschedule", ScheduleKind::OneFOneB},
    ScheduleName{"interleaved", "interleaved1f1b", ScheduleKind::Interleaved, false, 2},
    ScheduleName{
        "interleaved-overlap-ep", "interleavedoverlapep", ScheduleKind::Interleaved, true, 2},
    ScheduleName{"looped-bfs", "loopedbfs", ScheduleKind::LoopedBfs, false, 2},
    ScheduleName{"interleaved-zb", "interleavedzerobubble", ScheduleKind::InterleavedZb, false, 2},
    ScheduleName{"zb-h1", "zbh1", ScheduleKind::ZbH1},
    ScheduleName{"zb-h2", "zbh2", ScheduleKind::ZbH2},
    ScheduleName{"zbv", "zbvzerobubble", ScheduleKind::ZbV, false, 2},
    ScheduleName{"v-half", "vhalf", ScheduleKind::VHalf, false, 2},
    ScheduleName{"v-min", "vmin", ScheduleKind::VMin, false, 2},
    ScheduleName{"dualpipe", "dualpipe", ScheduleKind::DualPipe},
    ScheduleName{"dualpipev", "dualpipevschedule", ScheduleKind::DualPipeV, false, 2}};

std::string lowerCase(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return lower;
}

}  // namespace

Result<ScheduleName> findSchedule(std::string_view typed) {
    const std::string wanted = lowerCase(typed);
    for (const ScheduleName& name : kNames) {
        if (sameName(wanted, name.name) || sameName(wanted, name.class_)) {
            return name;
        }
    }
    return fail(Error::Code::NotFound,
                "schedule",
                "no schedule is called \"" + std::string(typed) + "\"",
                suggestName(wanted, scheduleNames()));
}

std::vector<std::string_view> scheduleNames() {
    std::vector<std::string_view> names;
    names.reserve(kNames.size());
    for (const ScheduleName& name : kNames) {
        names.push_back(name.name);
    }
    return names;
}

}  // namespace fabricast
