#include "machine/doctor.h"
#include "planner/report/begin_answer.h"
#include "planner/report/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace fabricast {
namespace {

std::string_view stateWord(CheckedPart::State state) {
    return state == CheckedPart::State::Found     ? "found"
           : state == CheckedPart::State::Missing ? "missing"
                                                  : "broken";
}

}  // namespace

Report doctorReport(const Checkup& checkup) {
    const auto count = [&checkup](CheckedPart::State state) {
        return std::ranges::count(checkup.parts, state, &CheckedPart::state);
    };
    const auto broken = count(CheckedPart::State::Broken);
    Report report(fmt::format("{}  {} found, {} missing{}\n\n",
                              broken > 0 ? "BROKEN" : "HEALTHY",
                              count(CheckedPart::State::Found),
                              count(CheckedPart::State::Missing),
                              broken > 0 ? fmt::format(", {} broken", broken) : ""));
    Table there{{{"part"}, {"state"}, {"what"}, {"for"}}, {}};
    std::string commands;
    for (const CheckedPart& part : checkup.parts) {
        there.rows.push_back(
            {part.name, std::string(stateWord(part.state)), part.found, part.purpose});
        commands += part.type.empty() ? "" : "  " + part.name + ": " + part.type + "\n";
    }
    report.add(std::move(there));
    return commands.empty() ? report
                            : std::move(report.add(
                                  "\nwhat to type, where you want what it is for\n" + commands));
}

std::string doctorJson(const Checkup& checkup, std::string_view version) {
    JsonText json;
    beginAnswer(json, "fabricast.doctor/1", version);
    json.add("sound", checkup.sound());
    json.beginArray("parts");
    for (const CheckedPart& part : checkup.parts) {
        json.beginObject();
        json.add("name", part.name);
        json.add("for", part.purpose);
        json.add("state", stateWord(part.state));
        json.add("found", part.found);
        json.add("type", part.type);
        json.end();
    }
    json.end();
    json.end();
    return std::move(json).finish();
}

}  // namespace fabricast
