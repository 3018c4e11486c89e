#include "planner/launch/python_assignments.h"

#include "planner/launch/allocator_options.h"

#include <string_view>

namespace fabricast {

std::string nameBegunAt(const PythonValues& program, std::size_t at) {
    const bool isOfSelf =
        program.words()[at].text == "self" && program.isSign(at + 1, ".") && program.isName(at + 2);
    return isOfSelf ? "self." + program.words()[at + 2].text : program.words()[at].text;
}

bool beginsWithName(const PythonValues& program, std::size_t at) {
    const bool begins = at == 0 || program.words()[at - 1].kind == PythonWord::Kind::End ||
                        program.isSign(at - 1, ";");
    return begins && program.isName(at);
}

bool isChanged(const PythonValues& program, std::size_t at) {
    if (!beginsWithName(program, at)) {
        return false;
    }
    at += nameBegunAt(program, at) == program.words()[at].text ? 0U : 2U;
    const auto ends = [&program](std::size_t sign) {
        return sign < program.words().size() &&
               program.words()[sign].kind == PythonWord::Kind::Sign &&
               program.words()[sign].text.size() > 1 && program.words()[sign].text.back() == '=';
    };
    const bool isPower = program.isSign(at + 1, "**") && program.isSign(at + 2, "=");
    const bool isLong =
        program.isSign(at + 1, "/") || program.isSign(at + 1, "<") || program.isSign(at + 1, ">");
    const bool isItem =
        program.isSign(behindItems(program, at + 1), "=") && program.isSign(at + 1, "[");
    const bool isUpdate = program.isSign(at + 1, ".") && program.isName(at + 2) &&
                          program.words()[at + 2].text == "update";
    return ends(at + 1) || isPower || (isLong && ends(at + 2)) || isItem || isUpdate;
}

bool isMemberChanged(const PythonValues& program, std::size_t at) {
    const bool isMember = beginsWithName(program, at) && program.endOfName(at) == at + 3;
    return isMember && program.words()[at + 3].kind == PythonWord::Kind::Sign &&
           program.words()[at + 3].text.size() == 2 && program.words()[at + 3].text.back() == '=';
}

NamedWords pairsAt(const PythonValues& program, std::size_t at) {
    std::vector<std::size_t> names;
    std::size_t equals = at;
    while (beginsWithName(program, at) && program.isName(equals) &&
           program.isSign(equals + 1, ",")) {
        names.push_back(equals);
        equals += 2;
    }
    if (names.empty() || !program.isName(equals) || !program.isSign(equals + 1, "=")) {
        return {};
    }
    names.push_back(equals);
    const std::size_t end = endOfStatement(program, equals + 2);
    NamedWords pairs;
    WordSpan one{equals + 2, equals + 2};
    for (std::size_t i = one.begin; i <= end && pairs.size() < names.size(); ++i) {
        if (i < end && program.isOpening(i)) {
            return {};
        }
        if (i == end || program.isSign(i, ",")) {
            pairs.emplace_back(names[pairs.size()], WordSpan{one.begin, i});
            one.begin = i + 1;
        }
    }
    return pairs.size() == names.size() && one.begin > end ? pairs : NamedWords();
}

std::vector<std::size_t> loopedAt(const PythonValues& program, std::size_t at) {
    std::vector<std::size_t> names;
    const bool loops = beginsWithName(program, at) && program.isName(at, "for");
    const std::size_t end = loops ? endOfStatement(program, at) : at;
    for (std::size_t i = at + 1; i < end && !program.isName(i, "in"); ++i) {
        if (program.isName(i)) {
            names.push_back(i);
        }
    }
    return names;
}

std::optional<WordSpan> assignedAt(const PythonValues& program, std::size_t at) {
    if (!beginsWithName(program, at)) {
        return std::nullopt;
    }
    std::size_t equals = program.endOfName(at);
    if (program.isSign(equals, ":")) {
        while (equals < program.words().size() &&
               program.words()[equals].kind != PythonWord::Kind::End &&
               !program.isSign(equals, "=")) {
            equals = program.isOpening(equals) ? program.words()[equals].close + 1 : equals + 1;
        }
    }
    if (!program.isSign(equals, "=")) {
        return std::nullopt;
    }
    return WordSpan{equals + 1, endOfStatement(program, equals + 1)};
}

std::optional<VariableSet> variableSetAt(const PythonValues& program, std::size_t at) {
    if (!program.isName(at, "environ")) {
        return std::nullopt;
    }
    const std::vector<PythonWord>& words = program.words();
    VariableSet set;
    std::string before = "env ";
    if (program.isSign(at + 1, "[") && program.isSign(words[at + 1].close + 1, "=")) {
        const std::size_t begin = words[at + 1].close + 2;
        set = {"", at + 2, {begin, endOfStatement(program, begin)}};
    } else if (program.isSign(at + 1, ".") && program.isName(at + 2, "setdefault") &&
               program.isSign(at + 3, "(") && program.itemsIn(at + 3).size() == 2) {
        const std::vector<WordSpan> items = program.itemsIn(at + 3);
        before = kUsualVariable;
        set = {"", items.front().begin, items.back()};
    }
    const bool isNamed = set.name > 0 && words[set.name].kind == PythonWord::Kind::Text;
    if (!isNamed || program.valuesOf(set.value).size() != 1) {
        return std::nullopt;
    }
    set.path = before + words[set.name].text;
    return set;
}

std::size_t beginOfLine(const PythonValues& program, std::size_t at) {
    while (at > 0 && program.words()[at - 1].kind != PythonWord::Kind::End) {
        --at;
    }
    return at;
}

std::size_t endOfStatement(const PythonValues& program, std::size_t at) {
    while (at < program.words().size() && program.words()[at].kind != PythonWord::Kind::End &&
           !program.isSign(at, ";")) {
        at = program.isOpening(at) ? program.words()[at].close + 1 : at + 1;
    }
    return at;
}

std::vector<LaunchKey> statementKeys(const PythonValues& program, std::size_t at) {
    const std::vector<PythonWord>& words = program.words();
    std::vector<LaunchKey> keys;
    if (!beginsWithName(program, at)) {
        return keys;
    }
    const std::size_t sign = program.endOfName(at);
    if (sign < words.size() && words[sign].kind == PythonWord::Kind::Sign &&
        words[sign].text.size() == 2 && words[sign].text.back() == '=') {
        keys.push_back({.path = words[sign - 1].text + words[sign].text,
                        .values = {},
                        .line = words[at].line,
                        .column = words[at].column});
    }
    const bool imports = words[at].text == "from" || words[at].text == "import";
    const std::size_t end = imports ? endOfStatement(program, at) : at;
    for (std::size_t i = at + 1; i + 1 < end; ++i) {
        if (program.isName(i, "as") && program.isName(i - 1) && program.isName(i + 1)) {
            keys.push_back({.path = "import",
                            .values = {words[i - 1].text, words[i + 1].text},
                            .line = words[i].line,
                            .column = words[i].column});
        }
    }
    return keys;
}

}  // namespace fabricast
