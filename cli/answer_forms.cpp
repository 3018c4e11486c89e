#include "cli/answer_forms.h"

#include <algorithm>
#include <utility>

namespace fabricast {
namespace {

Result<ReportFile> reportFile(const std::string& typed, std::span<const std::string_view> forms) {
    const std::size_t equals = typed.find('=');
    const auto form = std::ranges::find(forms, std::string_view(typed).substr(0, equals));
    if (form != forms.end() && equals != std::string::npos && equals + 1 < typed.size()) {
        return ReportFile{.form = static_cast<std::size_t>(form - forms.begin()),
                          .file = typed.substr(equals + 1),
                          .isAnswer = typed.substr(equals) == "=-"};
    }
    std::string names;
    for (const std::string_view name : forms) {
        names.append(names.empty() ? "" : ", ").append(name);
    }
    return fail(Error::Code::BadInput,
                "--report",
                "\"" + typed + "\" is not FORMAT=FILE",
                "--report junit=check.xml; formats: " + names);
}

}  // namespace

Result<std::vector<ReportFile>> reportFiles(std::span<const std::string> typed,
                                            std::span<const std::string_view> forms) {
    std::vector<ReportFile> reports;
    for (const std::string& one : typed) {
        FABRICAST_ASSIGN(ReportFile report, reportFile(one, forms));
        if (report.isAnswer && std::ranges::any_of(reports, &ReportFile::isAnswer)) {
            return fail(Error::Code::BadInput,
                        "--report",
                        "two reports go to standard output",
                        one.substr(0, one.find('=')) + "=FILE");
        }
        reports.push_back(std::move(report));
    }
    return reports;
}

}  // namespace fabricast
