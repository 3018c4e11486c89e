#include "planner/output/printable_text.h"
#include "probes/fit/fit_tables.h"

#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr int kBadInput = 2;
constexpr int kEnvironment = 4;

void complain(const std::string& text) {
    std::fputs(fabricast::printableText(text).c_str(), stderr);
}

int print(const std::string& text) {
    if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) {
        return 0;
    }
    complain("error: standard output cannot be written\n");
    return kEnvironment;
}

}  // namespace

int main(int count, char** values) {
    // A limit on a file's size is a file that cannot be written.
    (void)std::signal(SIGXFSZ, SIG_IGN);
    const std::vector<std::string> arguments(values + 1, values + count);
    for (const std::string& argument : arguments) {
        if (argument == "--help" || argument == "-h") {
            return print(std::string(fabricast::fitHelp()));
        }
    }
    const auto answer = fabricast::runFit(arguments);
    if (!answer) {
        complain("error: " + answer.error().text() + "\n");
        return answer.error().code == fabricast::Error::Code::Environment ? kEnvironment
                                                                          : kBadInput;
    }
    complain(answer->report);
    return print(answer->profile);
}
