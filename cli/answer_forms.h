#pragma once
#include "cli/command.h"
#include "planner/output/printable_text.h"
#include "planner/report/markup.h"
#include "planner/text/text_files.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fabricast {

/// A form in which a command writes what it found, as -f and --report name it: text, or a report,
/// which becomes text or a page.
///     constexpr std::array kSizeForms = {AnswerForm<SizeAnswer>{"text", &sizeReport},
///                                        AnswerForm<SizeAnswer>{"csv", &sizeCsv}};
template <typename Found>
struct AnswerForm {
    std::string_view name;
    std::variant<std::string (*)(const Found&), Report (*)(const Found&)> write;

    [[nodiscard]] Answer of(const Found& found) const {
        Answer answer;
        if (const auto* const report = std::get_if<1>(&write)) {
            answer.report = (*report)(found);
        } else {
            answer.text = std::get<0>(write)(found);
        }
        return answer;
    }
};

/// What was found in the form of a name; in the first one where there is none of that name.
template <typename Found, std::size_t N>
Answer answerIn(std::string_view name,
                const Found& found,
                const std::array<AnswerForm<Found>, N>& forms) {
    const auto form = std::ranges::find(forms, name, &AnswerForm<Found>::name);
    return (form == forms.end() ? forms.front() : *form).of(found);
}
/// What --report may begin with: "junit=", …
template <typename Found, std::size_t N>
std::vector<std::string> formWords(const std::array<AnswerForm<Found>, N>& forms) {
    std::vector<std::string> words;
    for (const AnswerForm<Found>& form : forms) {
        words.push_back(std::string(form.name) + "=");
    }
    return words;
}
/// The same in the form that -f asks for.
template <typename Found, std::size_t N>
Answer answerIn(Format format, const Found& found, const std::array<AnswerForm<Found>, N>& forms) {
    return answerIn(formName(format), found, forms);
}

/// A report that is written beside the answer, as it was typed: --report junit=check.xml.
struct ReportFile {
    std::size_t form = 0;  ///< its place among the forms
    std::string file;
    bool isAnswer = false;  ///< FILE is "-": it goes to standard output
};

/// `forms` are the names of those that a command has.
Result<std::vector<ReportFile>> reportFiles(std::span<const std::string> typed,
                                            std::span<const std::string_view> forms);
template <typename Found, std::size_t N>
Result<std::vector<ReportFile>> reportFiles(std::span<const std::string> typed,
                                            const std::array<AnswerForm<Found>, N>& forms) {
    std::vector<std::string_view> names;
    std::ranges::transform(forms, std::back_inserter(names), &AnswerForm<Found>::name);
    return reportFiles(typed, names);
}

/// Writes the files; the report that goes to standard output, where there is one.
template <typename Found, std::size_t N>
Result<std::optional<std::string>> writeReports(const Found& found,
                                                std::span<const ReportFile> reports,
                                                const std::array<AnswerForm<Found>, N>& forms,
                                                const GlobalOptions& options) {
    std::optional<std::string> piped;
    for (const ReportFile& report : reports) {
        const AnswerForm<Found>& form = forms[report.form];
        const Answer answer = form.of(found);
        std::string text = printableText(answer.report ? reportText(*answer.report) : answer.text);
        text = form.name == "md" ? markdownEscaped(text) : std::move(text);
        if (report.isAnswer) {
            piped = text;
        } else {
            FABRICAST_TRY(writeTextFile(options.at(report.file), text));
        }
    }
    return piped;
}

}  // namespace fabricast
