#include "planner/launch/shell_arithmetic.h"

#include "planner/launch/shell_variables.h"

namespace fabricast {

std::size_t arithmeticLength(std::string_view text) {
    constexpr std::size_t kLongest = 4096;
    if (!text.starts_with("((")) {
        return 0;
    }
    int open = 0;
    for (std::size_t i = 0; i < text.size() && i < kLongest && text[i] != '\n'; ++i) {
        open += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        if (open == 0) {
            return text[i - 1] == ')' ? i + 1 : 0;
        }
    }
    return 0;
}

std::vector<std::string> namesChangedBy(std::string_view arithmetic) {
    std::vector<std::string> names;
    const bool isChange = arithmetic.find('=') != std::string_view::npos ||
                          arithmetic.find("++") != std::string_view::npos ||
                          arithmetic.find("--") != std::string_view::npos;
    for (std::size_t begin = 0; isChange && begin < arithmetic.size(); ++begin) {
        std::size_t end = begin;
        while (end < arithmetic.size() && ShellVariables::isNameLetter(arithmetic[end])) {
            ++end;
        }
        if (end > begin) {
            names.emplace_back(arithmetic.substr(begin, end - begin));
            begin = end;
        }
    }
    return names;
}

}  // namespace fabricast
