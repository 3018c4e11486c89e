#include "planner/launch/python_assignments.h"

#include <cstdint>
#include <vector>

namespace fabricast {

std::size_t behindItems(const PythonValues& program, std::size_t at) {
    while (program.isSign(at, "[")) {
        at = program.words()[at].close + 1;
    }
    return at;
}

std::string pathOfItems(const PythonValues& program, std::size_t at) {
    const std::vector<PythonWord>& words = program.words();
    std::string path;
    for (; program.isSign(at, "["); at = words[at].close + 1) {
        if (words[at].close != at + 2 || words[at + 1].kind != PythonWord::Kind::Text) {
            return "";
        }
        path += (path.empty() ? "" : ".") + words[at + 1].text;
    }
    return path;
}

bool isSameBlock(const PythonValues& program, std::size_t before, std::size_t at) {
    const std::vector<PythonWord>& words = program.words();
    const std::int64_t column = words[before].column;
    bool isSame = before <= at && words[at].column == column;
    for (std::size_t i = before; isSame && i < at; ++i) {
        isSame = words[i].kind != PythonWord::Kind::End || words[i + 1].column >= column;
    }
    return isSame;
}

}  // namespace fabricast
