#include "planner/output/printable_text.h"
#include "probes/fit/fit_program.h"

#include <cstdio>
#include <string>
#include <vector>

int main(int count, char** values) {
    const std::vector<std::string> arguments(values + 1, values + count);
    for (const std::string& argument : arguments) {
        if (argument == "--help" || argument == "-h") {
            std::fputs(std::string(fabricast::fitHelp()).c_str(), stdout);
            return 0;
        }
    }
    const auto answer = fabricast::runFit(arguments);
    if (!answer) {
        constexpr int kBadInput = 2;
        std::fputs(fabricast::printableText("error: " + answer.error().text() + "\n").c_str(),
                   stderr);
        return kBadInput;
    }
    std::fputs(fabricast::printableText(answer->report).c_str(), stderr);
    std::fputs(answer->profile.c_str(), stdout);
    return 0;
}
