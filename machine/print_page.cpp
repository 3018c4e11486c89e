#include "machine/print_page.h"

#include "machine/child_process.h"
#include "machine/program_paths.h"
#include "planner/text/text_files.h"

#include <unistd.h>

#include <array>
#include <fstream>
#include <iterator>
#include <utility>

namespace fabricast {
namespace {

constexpr double kMostPrinting = 60.0;
constexpr const char* kPdfFlag = "--format pdf";

std::vector<std::string> commandOf(const std::string& browser, const WorkFolder& folder) {
    std::vector<std::string> command = {browser,
                                        "--headless",
                                        "--disable-gpu",
                                        "--no-first-run",
                                        "--disable-extensions",
                                        "--disable-background-networking",
                                        "--no-pdf-header-footer",
                                        "--print-to-pdf-no-header",
                                        "--user-data-dir=" + folder.at("browser"),
                                        "--print-to-pdf=" + folder.at("page.pdf")};
    if (::geteuid() == 0) {
        command.emplace_back("--no-sandbox");  // which it does not start without, as root
    }
    command.push_back("file://" + folder.at("page.html"));
    return command;
}

std::string bytesOf(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

std::optional<std::string> findBrowser() {
    for (const char* name : {"chromium",
                             "chromium-browser",
                             "google-chrome",
                             "google-chrome-stable",
                             "microsoft-edge"}) {
        if (std::optional<std::string> found = programOnPath(name)) {
            return found;
        }
    }
    return std::nullopt;
}

Result<std::string> printedPage(const std::string& page, const std::stop_token& stop) {
    const std::optional<std::string> browser = findBrowser();
    if (!browser) {
        return fail(Error::Code::Environment,
                    kPdfFlag,
                    "needs a browser on PATH that prints: chromium, Chrome or Edge",
                    "apt-get install chromium; or --format html, and print that");
    }
    const WorkFolder folder;
    if (!folder.isThere()) {
        return fail(Error::Code::Environment, kPdfFlag, "there is no folder for temporary files");
    }
    FABRICAST_TRY(writeTextFile(folder.at("page.html"), page));
    FABRICAST_ASSIGN(const ChildOutcome outcome,
                     runChild({.command = commandOf(*browser, folder),
                               .mostSeconds = kMostPrinting,
                               .graceSeconds = 0.0,
                               .stop = stop}));
    if (outcome.end == ChildOutcome::End::Interrupted) {
        return fail(Error::Code::Stopped,
                    kPdfFlag,
                    "was stopped before the page was printed",
                    "more time, or -f html");
    }
    std::string pdf = bytesOf(folder.at("page.pdf"));
    if (outcome.end != ChildOutcome::End::Exited || outcome.code != 0 || !pdf.starts_with("%PDF")) {
        return fail(Error::Code::Environment, kPdfFlag, *browser + " " + endText(outcome));
    }
    return pdf;
}

}  // namespace fabricast
