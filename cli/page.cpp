#include "cli/page.h"

#include "machine/print_page.h"
#include "planner/base/words.h"
#include "planner/report/html_page.h"
#include "planner/text/shell_text.h"

#include <algorithm>
#include <iterator>

namespace fabricast {

Result<void> checkForm(const Command& command, const GlobalOptions& options) {
    if (std::ranges::find(command.forms, options.format) != command.forms.end()) {
        return {};
    }
    std::vector<std::string> names;
    std::ranges::transform(command.forms, std::back_inserter(names), [](Format form) {
        return std::string(formName(form));
    });
    if (command.hasPages) {
        names.insert(names.end(), {"html", "pdf"});
    }
    return fail(Error::Code::BadInput,
                options.saysFormat ? "--format" : "--output " + options.output,
                command.flags.info().lastName() + " has no " +
                    std::string(formName(options.format)) + ": it prints " + joined(names, ", "),
                "--format text");
}

Result<void> checkPage(const Command& command, const GlobalOptions& options) {
    if (options.page == PageKind::None) {
        return {};
    }
    if (!command.hasPages) {
        return fail(
            Error::Code::BadInput,
            "--format",
            "this command has no report as a page",
            "--format text; plan, size, explain, compare, simulate, advise, check and backtest "
            "write html and pdf");
    }
    if (options.page == PageKind::Pdf && options.output == "-") {
        return fail(Error::Code::BadInput,
                    "--format pdf",
                    "is no text for a terminal",
                    "--output report.pdf");
    }
    return {};
}

Result<std::string> pageOf(const Report& report,
                           const std::string& title,
                           const std::vector<std::string>& typed,
                           const GlobalOptions& options) {
    std::vector<std::string> words = {"fabricast"};
    words.insert(words.end(), typed.begin(), typed.end());
    const std::string page = htmlPage(
        report,
        {.title = title, .tool = "fabricast " FABRICAST_VERSION, .command = shellCommand(words)});
    if (options.page != PageKind::Pdf) {
        return page;
    }
    // A search that was stopped is printed all the same: its first plans are the answer.
    const std::stop_token stop = options.watch().stop;
    return printedPage(page, stop.stop_requested() ? std::stop_token() : stop);
}

}  // namespace fabricast
