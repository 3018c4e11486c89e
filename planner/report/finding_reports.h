#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// A position as reports for other programs take it.
struct FilePlace {
    std::string file;
    std::int64_t line = 1;
    std::int64_t column = 1;
};
/// "run.json:3:7" as a place; `source` where it names no file.
FilePlace placeOf(const std::string& where, const std::string& source);

enum class FindingLevel : std::uint8_t { Error, Warning, Note };

/// Something that people or programs are to see beside the code.
struct ReportedFinding {
    FindingLevel level = FindingLevel::Error;
    std::string rule;
    std::string message;  ///< in one line
    FilePlace place;
};

/// A rule that findings name, and what it is about.
struct ReportedRule {
    std::string id;
    std::string text;
};

// Findings, the worst first, in the forms that other programs read.

/// For tools that show findings beside the code: SARIF 2.1.0.
std::string findingsSarif(std::span<const ReportedFinding> findings,
                          std::span<const ReportedRule> rules,
                          std::string_view version);
/// For GitLab's merge requests: its code quality report.
std::string findingsCodeQuality(std::span<const ReportedFinding> findings);
/// Commands that GitHub's runner turns into annotations: ten at most, as it shows no more.
/// `command` made them: "fabricast check".
std::string findingsAnnotations(std::span<const ReportedFinding> findings,
                                std::string_view command);

}  // namespace fabricast
