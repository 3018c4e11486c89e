#include "study/sweep_file.h"

#include "planner/base/text_digest.h"
#include "planner/output/replace_file.h"
#include "planner/report/sweep_report.h"
#include "planner/text/json_lines.h"
#include "planner/text/text_files.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <variant>

namespace fabricast {
namespace {

constexpr std::string_view kSum = ", \"sum\": ";
/// What each line begins with: a file whose line does not is nobody's sweep that was cut.
constexpr std::string_view kBegin = R"({"schema": "fabricast.)";

/// A line as it was before its sum was added.
std::string withoutSum(std::string_view line) {
    return std::string(line.substr(0, line.rfind(kSum))) + "}";
}

/// The key of a line, by what it says.
Result<std::string> keyOfLine(std::string_view line, const std::string& file, std::int64_t number) {
    FABRICAST_ASSIGN(const JsonValue root, parseJsonFrom(line, file, number));
    FABRICAST_TRY(root.expect(JsonValue::Kind::Object));
    FABRICAST_ASSIGN(const JsonValue* digest, root.require("digest"));
    FABRICAST_ASSIGN(const JsonValue* point, root.require("point"));
    FABRICAST_ASSIGN(const std::string text, digest->text());
    std::vector<std::pair<std::string, std::string>> values;
    for (const JsonValue& member : point->members()) {
        FABRICAST_ASSIGN(std::string value, member.text());
        values.emplace_back(member.name(), std::move(value));
    }
    FABRICAST_TRY(checkSweepLine(root));
    if (withSum(withoutSum(line)) != line) {
        return tl::unexpected(root.problem("was changed after it was written"));
    }
    return sweepKey(text, values);
}

Result<void> takeLine(const std::string& line,
                      const std::string& file,
                      std::int64_t number,
                      const SweepPlaces& places,
                      bool isSweeps,
                      std::vector<std::string>& lines) {
    Result<std::string> key = keyOfLine(line, file, number);
    if (!key) {
        key.error().hint = isSweeps ? "remove that line, and its point is computed again"
                                    : "another file behind --out: this one is no sweep's";
        return tl::unexpected(std::move(key).error());
    }
    const auto place = places.find(*key);
    if (place == places.end()) {
        return fail(Error::Code::BadInput,
                    file + ":" + std::to_string(number),
                    "is of another sweep, or profiles or files that it leans on have changed since",
                    "another file behind --out");
    }
    lines[place->second] = line;
    return {};
}

}  // namespace

std::string withSum(std::string line) {
    const std::string sum = textDigest(line);
    line.pop_back();  // the bracket that closes it
    return line.append(kSum).append("\"").append(sum).append("\"}");
}

std::string sweepKey(const std::string& digest,
                     const std::vector<std::pair<std::string, std::string>>& point) {
    std::string key = digest;
    for (const auto& [path, value] : point) {
        key += '\n' + path + '=' + value;
    }
    return key;
}

Result<void> checkKeepsPoints(const std::string& path) {
    std::error_code trouble;
    (void)std::filesystem::exists(path, trouble);
    if (trouble == std::errc::too_many_symbolic_link_levels) {
        return fail(Error::Code::BadInput,
                    "--out",
                    path + " is a link that leads to itself",
                    "remove it, or give --out another name");
    }
    if (!path.empty() && !isReplaceable(path)) {
        return fail(Error::Code::BadInput,
                    "--out",
                    path + " is a pipe, a device or a folder, which keeps no points",
                    "--out points.jsonl; without --out, -f json prints them");
    }
    return {};
}

Result<SweepFile> SweepFile::open(const std::string& path) {
    FABRICAST_TRY(checkKeepsPoints(path));
    SweepFile file(path);
    std::variant<FileLock, LockTrouble> lock = FileLock::of(path);
    const auto* trouble = std::get_if<LockTrouble>(&lock);
    if (trouble != nullptr && trouble->taken) {
        return fail(Error::Code::BadInput,
                    path,
                    "another sweep is writing it, and one of the two would lose its points",
                    "wait for its end, or give --out another name");
    }
    if (trouble != nullptr) {
        return fail(Error::Code::Environment,
                    path,
                    trouble->why,
                    "--out and a file in a folder that takes new ones");
    }
    file.lock_ = std::get<FileLock>(std::move(lock));
    return file;
}

Result<void> SweepFile::write(std::string_view text) {
    if (path_.empty()) {
        return {};
    }
    FABRICAST_TRY(checkNotRead(path_));
    std::string trouble =
        replaceFile(path_, text, [this](int descriptor) { lock_.moveTo(descriptor); });
    return trouble.empty() ? Result<void>()
                           : fail(Error::Code::Environment,
                                  path_,
                                  std::move(trouble),
                                  "--out and a file on a disk with room");
}

Result<void> takeSweepFile(const std::string& file,
                           const SweepPlaces& places,
                           std::vector<std::string>& lines,
                           std::string& note) {
    if (!std::filesystem::exists(file)) {
        return {};
    }
    FABRICAST_ASSIGN(const std::string text, readTextFile(file, kMostSweepBytes, ReadFor::Look));
    // Some line of a sweep's file is whole enough to be known by its first words.
    const bool isSweeps =
        text.starts_with(kBegin) || text.find("\n" + std::string(kBegin)) != std::string::npos;
    std::int64_t number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string line = text.substr(begin, end - begin);
        begin = end + 1;
        ++number;
        if (end == text.size() && isSweeps && !keyOfLine(line, file, number)) {
            note = file + ":" + std::to_string(number) +
                   ": the line is cut and was dropped; its point is computed again";
            return {};
        }
        FABRICAST_TRY(takeLine(line, file, number, places, isSweeps, lines));
    }
    return {};
}

}  // namespace fabricast
