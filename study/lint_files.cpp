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

/// A file as it is named, or one of a named folder, where not every file need be a launch file.
struct LintedFile {
    std::string name;
    bool isOfFolder = false;
};

Result<std::vector<LintedFile>> lintedFiles(const LintFilesAsk& ask) {
    std::vector<LintedFile> files;
    for (const std::string& named : ask.files) {
        std::error_code trouble;
        if (!std::filesystem::is_directory(pathFrom(ask.directory, named), trouble)) {
            files.push_back({named});
            continue;
        }
        FABRICAST_ASSIGN(const std::vector<std::string> inside,
                         launchFilesIn(named, ask.directory));
        for (const std::string& one : inside) {
            files.push_back({one, true});
        }
    }
    return files;
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
    if (Result<Question> typed = ask.questionOf("")) {
        each.typed = *std::move(typed);
    }
    FABRICAST_ASSIGN(const std::vector<LintedFile> files, lintedFiles(ask));
    const bool isOneOfMany = ask.files.size() > 1;
    for (const LintedFile& file : files) {
        Result<LintReport> report =
            lint(file.name, ask.directory, ask.questionOf(file.name), each, bench, watch);
        if (!report &&
            (file.isOfFolder || (isOneOfMany && isOfNobody(report.error(), file.name))) &&
            report.error().code == Error::Code::BadInput) {
            report = notLookedAt(file.name, report.error().why);
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
