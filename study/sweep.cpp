#include "study/sweep.h"

#include "planner/base/parallel_map.h"
#include "planner/report/plan_text.h"
#include "planner/result/memory_names.h"
#include "planner/text/json_lines.h"
#include "planner/text/json_text.h"
#include "planner/text/text_file.h"
#include "study/search_request.h"
#include "study/search_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <utility>

namespace fabricast {
namespace {

constexpr std::size_t kMostSweepBytes = std::size_t{1} << 30;

/// One line of what JsonText writes: in strings a line's end is written "\n".
std::string onOneLine(std::string_view json) {
    std::string line;
    for (std::size_t i = 0; i < json.size(); ++i) {
        if (json[i] != '\n') {
            line += json[i];
            continue;
        }
        while (i + 1 < json.size() && json[i + 1] == ' ') {
            ++i;
        }
        line += line.ends_with(',') ? " " : "";
    }
    return line;
}

/// Of all that the question says (FNV-1a), so that points of a file that was edited are not kept.
std::string digestOf(const Question& question) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char letter : documentText(question)) {
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
    }
    return fmt::format("{:016x}", hash);
}

/// What tells the line of a point from those of other points and questions.
std::string pointKey(const std::string& digest, const std::vector<Edit>& point) {
    std::string key = digest;
    for (const Edit& edit : point) {
        key += '\n' + edit.path + '=' + edit.value;
    }
    return key;
}

void addBest(JsonText& json, const Plan& plan) {
    json.add("verdict", nameOf(plan.memory.verdict));
    json.add("gpus", plan.scenario.layout.world());
    json.add("step_s", plan.step.step.value.count());
    json.add("step_s_lo", plan.step.step.lo.count());
    json.add("step_s_hi", plan.step.step.hi.count());
    json.add("tokens_per_s", plan.step.tokensPerSecond);
    if (plan.step.utilisation.mfu) {
        json.add("mfu", *plan.step.utilisation.mfu);
    }
    json.add("peak_bytes", plan.memory.peak.value);
    if (plan.cost && plan.cost->perMtok) {
        json.add("usd_per_mtok", plan.cost->perMtok->value.count());
    }
    json.add("stack", plan.scenario.stack);
    json.add("layout", planLayoutText(plan.scenario));
}

Result<PlanReport> bestOfPoint(const Question& question,
                               const std::vector<Edit>& point,
                               const Workbench& bench,
                               const Watch& watch) {
    std::vector<Edit> edits = point;
    edits.push_back({"search.top", "1", "--top"});
    FABRICAST_ASSIGN(const Question here, with(question, edits));
    FABRICAST_ASSIGN(SearchRequest request, searchRequest(here, bench));
    FABRICAST_TRY(checkSearchSize(request.task.base.model, request.task.base.cluster, kPlanSize));
    request.options.threads = 1;  // several points are searched at a time
    request.options.misses = 0;
    FABRICAST_ASSIGN(const TimingProfiles* timing, bench.timing());
    return searched(request, *timing, {.stop = watch.stop});
}

/// What is not modelled is an answer; what was mistyped is an error of the sweep.
Result<std::string> lineOf(const Question& question,
                           const std::vector<Edit>& point,
                           const Workbench& bench,
                           const Watch& watch) {
    const Result<PlanReport> report = bestOfPoint(question, point, bench, watch);
    if (!report && report.error().code != Error::Code::Unsupported) {
        return tl::unexpected(report.error());
    }
    JsonText json;
    json.beginObject();
    json.add("schema", "fabricast.sweep/1");
    json.add("question", typed(question));
    json.add("digest", digestOf(question));
    json.beginObject("point");
    for (const Edit& edit : point) {
        json.add(edit.path, edit.value);
    }
    json.end();
    if (report && !report->plans.empty()) {
        addBest(json, report->plans.front());
    } else {
        json.add("why",
                 !report                      ? "not modelled: " + report.error().why
                 : report->rejections.empty() ? std::string("no layout fits")
                                              : report->rejections.front().why);
    }
    json.end();
    return onOneLine(std::move(json).finish());
}

/// The key of a line, by what it says.
Result<std::string> keyOfLine(std::string_view line, const std::string& file, std::int64_t number) {
    FABRICAST_ASSIGN(const JsonValue root, parseJsonFrom(line, file, number));
    FABRICAST_TRY(root.expect(JsonValue::Kind::Object));
    FABRICAST_ASSIGN(const JsonValue* digest, root.require("digest"));
    FABRICAST_ASSIGN(const JsonValue* point, root.require("point"));
    FABRICAST_ASSIGN(std::string key, digest->text());
    for (const JsonValue& member : point->members()) {
        FABRICAST_ASSIGN(const std::string value, member.text());
        key += '\n' + member.name() + '=' + value;
    }
    return key;
}

using Kept = std::map<std::string, std::size_t>;  ///< places of points by their keys

/// Takes the lines of a file, if there is one.
Result<void> takeKept(const std::string& file, const Kept& places, SweepAnswer& answer) {
    if (!std::filesystem::exists(file)) {
        return {};
    }
    FABRICAST_ASSIGN(const std::string text, readTextFile(file, kMostSweepBytes));
    std::int64_t number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string line = text.substr(begin, end - begin);
        begin = end + 1;
        FABRICAST_ASSIGN(const std::string key, keyOfLine(line, file, ++number));
        const auto place = places.find(key);
        if (place == places.end()) {
            return fail(Error::Code::BadInput,
                        file + ":" + std::to_string(number),
                        "is of another sweep",
                        "another file behind --out");
        }
        answer.lines[place->second] = line;
    }
    return {};
}

std::string textOf(const SweepAnswer& answer, const SweepShard& shard) {
    std::string text;
    for (std::size_t i = 0; i < answer.lines.size(); ++i) {
        const bool isOwn = i % shard.count == shard.index;
        text += isOwn && !answer.lines[i].empty() ? answer.lines[i] + "\n" : "";
    }
    return text;
}

Result<void> takeAllShards(const SweepStore& store, const Kept& places, SweepAnswer& answer) {
    FABRICAST_TRY(takeKept(store.file, places, answer));
    for (std::size_t index = 0; index < store.shard.count; ++index) {
        FABRICAST_TRY(takeKept(shardFile(store.file, {index, store.shard.count}), places, answer));
    }
    return {};
}

}  // namespace

bool SweepAnswer::isWhole() const {
    return std::ranges::none_of(lines, &std::string::empty);
}

Result<SweepAnswer> sweep(const Question& question,
                          const std::vector<SweepAxis>& axes,
                          const SweepStore& store,
                          const Workbench& bench,
                          const Watch& watch) {
    const std::vector<std::vector<Edit>> points = sweepPoints(axes);
    SweepAnswer answer{.axes = axes, .lines = std::vector<std::string>(points.size())};
    Kept places;
    const std::string digest = digestOf(question);
    for (std::size_t i = 0; i < points.size(); ++i) {
        places.emplace(pointKey(digest, points[i]), i);
    }
    if (!store.file.empty()) {
        FABRICAST_TRY(takeAllShards(store, places, answer));
    }
    std::vector<std::size_t> open;
    for (std::size_t i = store.shard.index; i < points.size(); i += store.shard.count) {
        if (answer.lines[i].empty()) {
            open.push_back(i);
        }
    }
    const std::string own = shardFile(store.file, store.shard);
    const std::size_t atATime = 2 * bench.threads();
    for (std::size_t begin = 0; begin < open.size(); begin += atATime) {
        const std::size_t count = std::min(atATime, open.size() - begin);
        const std::vector<std::size_t> now(
            open.begin() + static_cast<std::ptrdiff_t>(begin),
            open.begin() + static_cast<std::ptrdiff_t>(begin + count));
        auto lines = parallelMap(
            now,
            [&](std::size_t place) { return lineOf(question, points[place], bench, watch); },
            {.threads = bench.threads(), .stop = watch.stop});
        FABRICAST_TRY(watch.check());
        for (std::size_t i = 0; i < count; ++i) {
            FABRICAST_ASSIGN(answer.lines[now[i]], std::move((*lines)[i]));
            ++answer.computed;
        }
        if (!store.file.empty()) {
            FABRICAST_TRY(writeTextFile(own, textOf(answer, store.shard)));
        }
        watch.report(begin + count, open.size());
    }
    if (!store.file.empty() && store.shard.count > 1) {
        FABRICAST_TRY(takeAllShards(store, places, answer));
        if (answer.isWhole()) {
            FABRICAST_TRY(writeTextFile(store.file, textOf(answer, {})));
        }
    }
    return answer;
}

}  // namespace fabricast
