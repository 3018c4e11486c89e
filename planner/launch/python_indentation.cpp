#include "planner/launch/python_reading.h"

namespace fabricast {
namespace {

Result<void> refuseLine(const PythonWord& first, const std::string& source, const char* why) {
    return fail(Error::Code::BadInput,
                source + ":" + std::to_string(first.line) + ":" + std::to_string(first.column),
                why,
                "the indentation that Python takes");
}

}  // namespace

Result<void> checkIndentation(const std::vector<PythonWord>& words, const std::string& source) {
    std::vector<std::int64_t> columns;
    bool opens = false;  // the line before ends with a colon
    for (std::size_t i = 0; i < words.size(); ++i) {
        const bool begins = i == 0 || words[i - 1].kind == PythonWord::Kind::End;
        if (!begins || words[i].kind == PythonWord::Kind::End) {
            continue;
        }
        const bool isDeeper = columns.empty() || words[i].column > columns.back();
        if (!columns.empty() && isDeeper != opens) {
            return refuseLine(words[i],
                              source,
                              opens ? "is not indented behind the line that ends with a colon"
                                    : "is indented more than the line before it");
        }
        if (isDeeper) {
            columns.push_back(words[i].column);
        }
        while (words[i].column < columns.back() && columns.size() > 1) {
            columns.pop_back();
        }
        if (words[i].column != columns.back()) {
            return refuseLine(words[i], source, "is indented as no line around it is");
        }
        std::size_t end = i;
        while (end + 1 < words.size() && words[end + 1].kind != PythonWord::Kind::End) {
            ++end;
        }
        opens = words[end].kind == PythonWord::Kind::Sign && words[end].text == ":";
    }
    return {};
}

}  // namespace fabricast
