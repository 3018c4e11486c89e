#include "study/sweep.h"

#include "planner/base/parallel_map.h"
#include "planner/base/text_digest.h"
#include "planner/text/text_files.h"
#include "study/question_inputs.h"
#include "study/sweep_file.h"
#include "study/typed_edits.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

using Points = std::vector<std::vector<Edit>>;

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

SweepPlaces placesOf(const Points& points, const std::string& digest) {
    SweepPlaces places;
    for (std::size_t i = 0; i < points.size(); ++i) {
        std::vector<std::pair<std::string, std::string>> values;
        for (const Edit& edit : points[i]) {
            values.emplace_back(edit.path, edit.value);
        }
        places.emplace(sweepKey(digest, values), i);
    }
    return places;
}

/// Of all that the answers at the points lean on.
std::string digestOf(const SweepWork& work,
                     const std::vector<SweepAxis>& axes,
                     const ProfileStore& profiles) {
    std::string all = work.said;
    for (const SweepAxis& axis : axes) {
        for (const std::string& value : axis.values) {
            all += mayNameFile(axis.key) ? textBehind(value, work.folders.typed, work.folders.known)
                                         : "";
        }
    }
    for (const ProfileKind kind : kProfileKinds) {
        for (const ProfileFile& file : profiles.files(kind)) {
            all.append("\n").append(file.name).append("\n").append(file.text);
        }
    }
    return textDigest(all);
}

/// A value that a key cannot have is a reason at its point, and no end of the others'.
bool isOfPoint(const Error& error) {
    return error.code == Error::Code::BadInput || error.code == Error::Code::NotFound ||
           error.code == Error::Code::Unsupported;
}

/// The point is beside it: "--sweep workload.sequence" says nothing more.
std::string whyRefused(const Error& error) {
    const bool isSaid = error.where.empty() || error.where.starts_with("--sweep");
    return isSaid ? error.why : error.where + ": " + error.why;
}

/// What a hint says of a key that is swept is a value of the sweep: "--sweep seq=1024", not
/// "--seq 1024", which cannot be typed beside it.
std::string hintOfSweep(const std::string& hint, const std::vector<SweepAxis>& axes) {
    std::string text;
    for (std::size_t at = 0; at < hint.size();) {
        const std::size_t end = std::min(hint.find(' ', at), hint.size());
        const std::string word = hint.substr(at, end - at);
        const std::size_t name = word.find_first_not_of('-');
        const bool isSwept =
            word.starts_with("--") && name != std::string::npos && end < hint.size() &&
            std::ranges::find(axes, keyCalled(word.substr(name)), &SweepAxis::key) != axes.end();
        text += isSwept ? "--sweep " + word.substr(name) + "=" : hint.substr(at, end + 1 - at);
        at = end + 1;
    }
    return text;
}

/// The answer at a point as a line of the file.
struct PointLine {
    std::string text;
    std::optional<Error> refused{};  ///< what the point cannot be
};

Result<PointLine> lineOf(const SweepWork& work,
                         const std::string& digest,
                         const std::vector<Edit>& point,
                         const Workbench& bench,
                         const Watch& watch) {
    JsonText json;
    json.beginObject();
    json.add("schema", work.schema);
    json.add("question", work.question);
    json.add("digest", digest);
    json.beginObject("point");
    for (const Edit& edit : point) {
        json.add(edit.path, edit.value);
    }
    json.end();
    PointLine line;
    if (const Result<void> answered = work.answer(point, bench, {.stop = watch.stop}, json);
        !answered) {
        if (!isOfPoint(answered.error())) {
            return tl::unexpected(answered.error());
        }
        line.refused = answered.error();
        json.add("verdict", "refused");
        json.add("why", whyRefused(*line.refused));
    }
    json.end();
    line.text = withSum(onOneLine(std::move(json).finish()));
    return line;
}

std::string textOf(const SweepAnswer& answer, const SweepShard& shard) {
    std::string text;
    for (std::size_t i = 0; i < answer.lines.size(); ++i) {
        const bool isOwn = i % shard.count == shard.index;
        text += isOwn && !answer.lines[i].empty() ? answer.lines[i] + "\n" : "";
    }
    return text;
}

Result<void> takeAllShards(const SweepStore& store,
                           const SweepPlaces& places,
                           SweepAnswer& answer) {
    if (store.file.empty()) {
        return {};
    }
    FABRICAST_TRY(takeSweepFile(store.file, places, answer.lines, answer.note));
    // Of ranks beyond the points there is no file with any.
    const std::size_t ranks = std::min(store.shard.count, answer.lines.size());
    for (std::size_t index = 0; index < ranks; ++index) {
        const std::string file = shardFile(store.file, {index, store.shard.count});
        FABRICAST_TRY(takeSweepFile(file, places, answer.lines, answer.note));
    }
    return {};
}

/// The one that finds all points done writes them; another rank that does so at the same time
/// writes the same bytes.
Result<void> joinShards(const SweepStore& store, const SweepPlaces& places, SweepAnswer& answer) {
    if (store.file.empty() || store.shard.count == 1) {
        return {};
    }
    FABRICAST_TRY(takeAllShards(store, places, answer));
    if (!answer.isWhole()) {
        return {};
    }
    Result<SweepFile> whole = SweepFile::open(store.file);
    if (!whole) {
        const bool isTaken = whole.error().code == Error::Code::BadInput;
        return isTaken ? Result<void>() : tl::unexpected(std::move(whole).error());
    }
    return whole->write(textOf(answer, {}));
}

/// Lines that were put together by hand, in another order or twice, become those of one run.
Result<void> putInOrder(const SweepStore& store, const SweepAnswer& answer, SweepFile& file) {
    if (store.file.empty() || store.shard.count > 1 || !std::filesystem::exists(store.file)) {
        return {};
    }
    FABRICAST_ASSIGN(const std::string kept,
                     readTextFile(store.file, kMostSweepBytes, ReadFor::Look));
    const std::string text = textOf(answer, {});
    return kept == text ? Result<void>() : file.write(text);
}

/// Those of this process that are not known yet.
std::vector<std::size_t> openOf(const SweepAnswer& answer, const SweepShard& shard) {
    std::vector<std::size_t> open;
    for (std::size_t i = shard.index; i < answer.lines.size(); i += shard.count) {
        if (answer.lines[i].empty()) {
            open.push_back(i);
        }
    }
    return open;
}

/// Answers a few points.
Result<void> computePoints(const SweepWork& work,
                           const std::string& digest,
                           const Points& points,
                           const std::vector<std::size_t>& now,
                           const Workbench& bench,
                           const Watch& watch,
                           SweepAnswer& answer) {
    const Workbench alone = bench.withThreads(1);
    auto lines = parallelMap(
        now,
        [&](std::size_t place) { return lineOf(work, digest, points[place], alone, watch); },
        {.threads = bench.threads(), .stop = watch.stop});
    FABRICAST_TRY(watch.check());
    for (std::size_t i = 0; i < now.size(); ++i) {
        FABRICAST_ASSIGN(PointLine line, std::move((*lines)[i]));
        answer.lines[now[i]] = std::move(line.text);
        ++answer.computed;
        answer.refused += line.refused ? 1U : 0U;
        if (line.refused && !answer.refusal) {
            answer.refusal = std::move(line.refused);
        }
    }
    return {};
}

/// A few points at a time. The file is written anew each time that it has grown by a part of
/// itself, and before this ends for whatever reason.
Result<void> computeOpen(const SweepWork& work,
                         const std::string& digest,
                         const Points& points,
                         const SweepShard& shard,
                         const Workbench& bench,
                         const Watch& watch,
                         SweepFile& file,
                         SweepAnswer& answer) {
    constexpr std::size_t kPartOfFile = 32;
    const std::vector<std::size_t> open = openOf(answer, shard);
    const std::size_t had = answer.done();
    std::size_t kept = 0;
    std::size_t end = 0;
    for (std::size_t begin = 0; begin < open.size(); begin = end) {
        // One a core first: a run that is soon stopped has got somewhere.
        const std::size_t atATime = bench.threads() * (begin == 0 ? 1 : 2);
        end = std::min(begin + atATime, open.size());
        const std::vector<std::size_t> now(open.begin() + static_cast<std::ptrdiff_t>(begin),
                                           open.begin() + static_cast<std::ptrdiff_t>(end));
        const Result<void> done = computePoints(work, digest, points, now, bench, watch, answer);
        const std::size_t ready = done ? end : begin;
        const bool isEnd = !done || end == open.size();
        const bool isWorthIt = had > 0 || shard.count > 1 || answer.refused < answer.computed;
        if (isWorthIt && ready > kept &&
            (isEnd || ready - kept >= (had + answer.computed) / kPartOfFile)) {
            FABRICAST_TRY(file.write(textOf(answer, shard)));
            kept = ready;
        }
        FABRICAST_TRY(done);
        watch.report(end, open.size());
    }
    return {};
}

}  // namespace

std::size_t SweepAnswer::done() const {
    return lines.size() -
           static_cast<std::size_t>(std::ranges::count_if(lines, &std::string::empty));
}

Result<SweepAnswer> sweep(const SweepWork& work,
                          const std::vector<SweepAxis>& axes,
                          const SweepStore& store,
                          const Workbench& bench,
                          const Watch& watch) {
    FABRICAST_TRY(checkKeepsPoints(store.file));
    FABRICAST_ASSIGN(SweepFile file, SweepFile::open(shardFile(store.file, store.shard)));
    const Points points = sweepPoints(axes);
    SweepAnswer answer{.axes = axes, .lines = std::vector<std::string>(points.size())};
    const std::string digest = digestOf(work, axes, bench.profiles());
    const SweepPlaces places = placesOf(points, digest);
    FABRICAST_TRY(takeAllShards(store, places, answer));
    const Result<void> done =
        computeOpen(work, digest, points, store.shard, bench, watch, file, answer);
    answer.stopped = !done && done.error().code == Error::Code::Stopped;
    if (answer.stopped) {
        return answer;
    }
    FABRICAST_TRY(done);
    if (answer.refusal && answer.refused == answer.lines.size()) {
        answer.refusal->hint = hintOfSweep(answer.refusal->hint, axes);
        return tl::unexpected(*answer.refusal);  // mistyped: of such a sweep nothing is kept
    }
    FABRICAST_TRY(putInOrder(store, answer, file));
    FABRICAST_TRY(joinShards(store, places, answer));
    return answer;
}

}  // namespace fabricast
