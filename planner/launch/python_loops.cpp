#include "planner/launch/python_scopes.h"

#include <algorithm>
#include <cstdint>

namespace fabricast {
namespace {

bool endsLine(const PythonValues& program, std::size_t at) {
    return at >= program.words().size() || program.words()[at].kind == PythonWord::Kind::End;
}

/// Up to the colon of its line, or to the end of what it stands in.
WordSpan headFrom(const PythonValues& program, std::size_t loop) {
    std::size_t end = loop + 1;
    while (!endsLine(program, end) && !program.isSign(end, ":") && !program.isSign(end, "]") &&
           !program.isSign(end, ")") && !program.isSign(end, "}")) {
        end = program.isOpening(end) ? program.words()[end].close + 1 : end + 1;
    }
    return {loop + 1, end};
}

/// "for" behind the value that the word stands in, in each bracket around it.
void addComprehensions(const PythonValues& program, std::size_t at, std::vector<WordSpan>& heads) {
    for (std::size_t i = at + 1; !endsLine(program, i);) {
        if (program.isName(i, "for")) {
            heads.push_back(headFrom(program, i));
        }
        i = program.isOpening(i) ? program.words()[i].close + 1 : i + 1;
    }
}

}  // namespace

std::vector<WordSpan> loopHeadsAround(const PythonValues& program, std::size_t at) {
    std::vector<WordSpan> heads;
    addComprehensions(program, at, heads);
    std::size_t line = at;
    while (line > 0 && !endsLine(program, line - 1)) {
        --line;
    }
    std::int64_t column = program.words()[line].column;
    for (std::size_t i = line; i-- > 0;) {
        const bool begins = i == 0 || endsLine(program, i - 1);
        if (begins && !endsLine(program, i) && program.words()[i].column < column) {
            column = program.words()[i].column;
            if (program.isName(i, "for")) {
                heads.push_back(headFrom(program, i));
            }
        }
    }
    return heads;
}

bool bindsName(const PythonValues& program, const WordSpan& head, std::string_view name) {
    for (std::size_t i = head.begin; i < head.end && !program.isName(i, "in"); ++i) {
        if (program.isName(i, name)) {
            return true;
        }
    }
    return false;
}

}  // namespace fabricast
