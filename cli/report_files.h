#pragma once
#include "flags/global_options.h"
#include "planner/base/result.h"
#include "planner/output/printable_text.h"
#include "planner/report/markdown_escaped.h"
#include "planner/text/text_file.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {

/// A report that is written beside the answer, as it was typed: --report junit=check.xml.
struct ReportFile {
    std::size_t form = 0;  ///< its place among the forms
    std::string file;
    bool isAnswer = false;  ///< FILE is "-": it goes to standard output
};

/// `forms` are the names of those that a command has.
Result<std::vector<ReportFile>> reportFiles(std::span<const std::string> typed,
                                            std::span<const std::string_view> forms);

/// A form of report of what was found.
template <typename Found>
struct ReportForm {
    std::string_view name;
    std::string (*write)(const Found& found);
};

/// The names of forms, in their order.
template <typename Found>
std::vector<std::string_view> formNames(std::span<const ReportForm<Found>> forms) {
    std::vector<std::string_view> names;
    for (const ReportForm<Found>& form : forms) {
        names.push_back(form.name);
    }
    return names;
}

/// Writes the files; the report that goes to standard output, where there is one.
template <typename Found>
Result<std::optional<std::string>> writeReports(const Found& found,
                                                std::span<const ReportFile> reports,
                                                std::span<const ReportForm<Found>> forms,
                                                const GlobalOptions& options) {
    std::optional<std::string> answer;
    for (const ReportFile& report : reports) {
        const ReportForm<Found>& form = forms[report.form];
        std::string text = printableText(form.write(found));
        text = form.name == "md" ? markdownEscaped(text) : std::move(text);
        if (report.isAnswer) {
            answer = text;
        } else {
            FABRICAST_TRY(writeTextFile(options.at(report.file), text));
        }
    }
    return answer;
}

}  // namespace fabricast
