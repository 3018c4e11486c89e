#include "study/lint_files.h"

#include "planner/base/nearest_name.h"
#include "study/launch_folder.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

namespace fabricast {
namespace {

std::string normalPlace(const std::string& file) {
    return std::filesystem::path(file).lexically_normal().string();
}

/// A file that another one names is looked at with it, and not once more; nor is one that is typed
/// twice, or with its folder.
void leaveOutNamed(std::vector<LintReport>& all) {
    std::set<std::string> seen;
    for (const LintReport& one : all) {
        std::transform(
            one.reads.begin() + 1, one.reads.end(), std::inserter(seen, seen.end()), &normalPlace);
    }
    std::erase_if(all, [&seen](const LintReport& one) {
        return !seen.insert(normalPlace(one.reads.front())).second;
    });
}

/// The files of a run, as they are named, or of a named folder, where not every file need be a
/// launch file.
struct LintedRun {
    std::vector<std::string> files;
    bool isOfFolder = false;
};

Result<std::vector<LintedRun>> lintedRuns(const LintFilesAsk& ask) {
    std::vector<LintedRun> runs;
    const auto add = [&](const std::vector<std::string>& files, bool isOfFolder) {
        for (std::vector<std::string>& run : runsAmong(files, ask.directory)) {
            runs.push_back({std::move(run), isOfFolder});
        }
    };
    std::vector<std::string> typed;
    for (const std::string& named : ask.files) {
        std::error_code trouble;
        if (!std::filesystem::is_directory(pathFrom(ask.directory, named), trouble)) {
            typed.push_back(named);
            continue;
        }
        add(std::exchange(typed, {}), false);
        FABRICAST_ASSIGN(const std::vector<std::string> inside,
                         launchFilesIn(named, ask.directory));
        add(inside, true);
    }
    add(typed, false);
    return runs;
}

/// Whether a file can be read, and is of no framework: the job of a cluster beside what it starts.
/// One that is broken has a line where it is.
bool isOfNobody(const Error& error, const std::string& file) {
    return normalPlace(error.where) == normalPlace(file);
}

}  // namespace

Result<std::vector<LintReport>> lintFiles(const LintFilesAsk& ask,
                                          const Workbench& bench,
                                          const Watch& watch) {
    std::vector<LintReport> all;
    LintAsk each = ask.each;
    if (Result<Question> typed = ask.questionOf({})) {
        each.typed = *std::move(typed);
    }
    FABRICAST_ASSIGN(const std::vector<LintedRun> runs, lintedRuns(ask));
    const bool isOneOfMany = ask.files.size() > 1;
    for (const LintedRun& run : runs) {
        const std::string& file = run.files.front();
        Result<LintReport> report =
            lint(file, ask.directory, ask.questionOf(run.files), each, bench, watch);
        if (!report && (run.isOfFolder || (isOneOfMany && isOfNobody(report.error(), file))) &&
            report.error().code == Error::Code::BadInput) {
            report = notLookedAt(file, report.error().why);
        }
        FABRICAST_TRY(report);
        all.push_back(*std::move(report));
    }
    leaveOutNamed(all);
    return all;
}

Result<void> checkRuleCodes(std::span<const std::string> codes) {
    std::vector<std::string> known;
    for (const ListedRule& one : lintRules()) {
        known.push_back(one.code);
    }
    for (const std::string& code : codes) {
        if (std::ranges::find(known, code) == known.end()) {
            return fail(Error::Code::BadInput,
                        "--ignore",
                        "\"" + code + "\" is no rule",
                        suggestName(code, known));
        }
    }
    return {};
}

bool anyAsSevere(std::span<const LintReport> reports, LintSeverity least) {
    return std::ranges::any_of(reports, [least](const LintReport& report) {
        return std::ranges::any_of(
            report.findings, [least](const LintFinding& one) { return one.severity <= least; });
    });
}

void leaveOutBelow(LintSeverity least, std::vector<LintReport>& reports) {
    for (LintReport& report : reports) {
        std::erase_if(report.findings,
                      [least](const LintFinding& one) { return one.severity > least; });
    }
}

}  // namespace fabricast
