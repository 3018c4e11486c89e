#include "tests/layering/source_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

// Many sources are compiled as one, with the standard headers parsed before: so what a file leaves
// out is not missed by the compiler, and is looked for here.
namespace fabricast {
namespace includes_test {

using namespace layering;
using Names = std::set<std::string, std::less<>>;

/// Standard names that many headers have, each for what it takes.
constexpr std::array<std::string_view, 4> kOfMany = {"get", "begin", "end", "size"};

/// Found by the type of its argument, in templates that know no such type.
constexpr std::string_view kOfArgument = "namesOf";

/// A word of code, and what stands before and after it, spaces aside.
struct Word {
    std::string text;
    std::string before;  ///< the word or the sign before
    char after = ' ';
    int line = 1;
    bool atMargin = false;  ///< of a line that is not indented
};

struct File {
    std::vector<std::string> includes;
    std::vector<Word> words;
    Names own;  ///< that it makes known, as far as can be seen
};

bool isOfWord(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Where a text in quotes, or a letter, ends that begins at a place.
std::size_t endOfQuoted(const std::string& text, std::size_t at) {
    const char quote = text[at];
    if (quote == '"' && at > 0 && text[at - 1] == 'R') {
        const std::size_t open = text.find('(', at);
        return text.find(")" + text.substr(at + 1, open - at - 1) + "\"", open) + open - at + 1;
    }
    for (++at; at < text.size() && text[at] != quote; ++at) {
        at += text[at] == '\\' ? 1U : 0U;
    }
    return at + 1;
}

/// With blanks for comments, texts in quotes and what the preprocessor is told.
std::string codeOf(std::string text) {
    const auto blank = [&text](std::size_t from, std::size_t to) {
        to = std::min(std::max(to, from + 1), text.size());
        std::replace_if(
            text.begin() + static_cast<std::ptrdiff_t>(from),
            text.begin() + static_cast<std::ptrdiff_t>(to),
            [](char c) { return c != '\n'; },
            ' ');
        return to;
    };
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool isNumber = at > 0 && text[at] == '\'' && isOfWord(text[at - 1]);  // 1'000
        if (text.compare(at, 2, "//") == 0 ||
            (text[at] == '#' && (at == 0 || text[at - 1] == '\n'))) {
            at = blank(at, text.find('\n', at)) - 1;
        } else if (text.compare(at, 2, "/*") == 0) {
            at = blank(at, text.find("*/", at) + 2) - 1;
        } else if ((text[at] == '"' || text[at] == '\'') && !isNumber) {
            at = blank(at, endOfQuoted(text, at)) - 1;
        }
    }
    return text;
}

std::vector<Word> wordsOf(const std::string& code) {
    std::vector<Word> words;
    std::string before;
    int line = 1;
    std::size_t margin = 0;
    for (std::size_t at = 0; at < code.size();) {
        if (!isOfWord(code[at])) {
            const bool isPair = code.compare(at, 2, "::") == 0 || code.compare(at, 2, "->") == 0;
            if (code[at] == '\n') {
                ++line;
                margin = at + 1;
            } else if (code[at] != ' ') {
                before = code.substr(at, isPair ? 2 : 1);
            }
            at += isPair ? 2 : 1;
            continue;
        }
        std::size_t end = at;
        while (end < code.size() && isOfWord(code[end])) {
            ++end;
        }
        const std::size_t next = code.find_first_not_of(" \n", end);
        words.push_back(
            {.text = code.substr(at, end - at),
             .before = before,
             .after = next == std::string::npos ? ' ' : code[next],
             .line = line,
             .atMargin = code[margin] != ' ' && code.compare(margin, 8, "template") != 0});
        before = words.back().text;
        at = end;
    }
    return words;
}

/// Behind what a type may end with.
bool followsType(const Word& word) {
    return !word.before.empty() && (isOfWord(word.before.back()) || word.before == "&" ||
                                    word.before == "*" || word.before == ">");
}

/// Whether a word makes its name known to all that includes its file: "struct X {", "using X =",
/// "constexpr int kX =", "int x(".
bool declares(const Word& word) {
    static const Names kBegins = {"struct", "class", "enum", "using", "concept", "]"};
    static const Names kNoTypes = {"return", "co_return", "throw", "else", "case", "new"};
    if (word.text == "void") {
        return false;
    }
    const bool isConstant = word.text.front() == 'k' && (word.after == '=' || word.after == '[');
    const bool isFunction =
        followsType(word) && !kNoTypes.contains(word.before) && word.after == '(';
    return (kBegins.contains(word.before) && word.after != ';') || isConstant || isFunction;
}

/// Or to its own file: members, enumerators, parameters and variables, too.
bool isOwn(const Word& word) {
    static const Names kBegins = {"struct", "class", "typename", "auto"};
    const auto isBefore = [&word](std::string_view signs) {
        return signs.find(word.after) != std::string_view::npos;
    };
    const bool isEnumerator = (word.before == "{" || word.before == ",") && isBefore(",}= ");
    const bool isNamed = (followsType(word) || word.before == "]") && isBefore(",);={[");
    return declares(word) || kBegins.contains(word.before) || isEnumerator || isNamed ||
           word.text.size() == 1;
}

File fileOf(const fs::path& path) {
    File file;
    for (const Include& include : includesOf(path)) {
        file.includes.push_back(include.target);
    }
    std::ifstream in(kRoot / path);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    file.words = wordsOf(codeOf(text));
    bool namesTests = false;  // TEST(Name, …
    for (const Word& word : file.words) {
        if (isOwn(word) || namesTests) {
            file.own.insert(word.text);
        }
        namesTests = word.text.starts_with("TEST") && word.after == '(';
    }
    return file;
}

const std::map<std::string, File>& files() {
    static const std::map<std::string, File> kFiles = [] {
        std::map<std::string, File> all;
        for (const fs::path& path : allSources()) {
            all.emplace(path.string(), fileOf(path));
        }
        return all;
    }();
    return kFiles;
}

/// What a file includes, and what that includes in turn, as far as it is ours; and itself.
void addIncluded(const std::string& name, Names& included) {
    const auto found = files().find(name);
    if (included.insert(name).second && found != files().end()) {
        for (const std::string& other : found->second.includes) {
            addIncluded(other, included);
        }
    }
}

Names includedBy(const std::string& name) {
    Names included;
    addIncluded(name, included);
    return included;
}

/// Where the types, constants and functions that any file may use are declared.
const std::map<std::string, Names>& declared() {
    static const std::map<std::string, Names> kDeclared = [] {
        std::map<std::string, Names> all;
        for (const auto& [name, file] : files()) {
            for (const Word& word : file.words) {
                if (name.ends_with(".h") && word.atMargin && declares(word)) {
                    all[word.text].insert(name);
                }
            }
        }
        return all;
    }();
    return kDeclared;
}

/// The standard headers of each name, by the table beside this test.
std::map<std::string, Names> standardNames() {
    std::map<std::string, Names> providers;
    std::ifstream in(kRoot / "tests/layering/standard_names.txt");
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string header;
        words >> header;
        for (std::string name; !line.starts_with('#') && words >> name;) {
            providers[name].insert(header);
        }
    }
    return providers;
}

bool holdsAny(const Names& included, const Names& wanted) {
    return std::ranges::any_of(wanted,
                               [&](const std::string& one) { return included.contains(one); });
}

TEST(Includes, HaveWhatIsUsedOfTheStandardLibrary) {
    const std::map<std::string, Names> providers = standardNames();
    EXPECT_GT(files().size(), 1500U);
    for (const auto& [name, file] : files()) {
        const Names included = includedBy(name);
        for (std::size_t at = 0; at + 1 < file.words.size(); ++at) {
            const Word& space = file.words[at];
            const Word& used = file.words[at + 1];
            const bool isOfRanges = space.text == "ranges" && space.before == "::";
            if ((space.text != "std" && !isOfRanges) || used.before != "::" ||
                used.text == "ranges" || std::ranges::find(kOfMany, used.text) != kOfMany.end()) {
                continue;
            }
            const auto found = providers.find(used.text);
            if (found == providers.end()) {
                ADD_FAILURE() << name << ":" << used.line << ": which header has std::" << used.text
                              << "? (tests/layering/standard_names.txt)";
                continue;
            }
            EXPECT_TRUE(holdsAny(included, found->second))
                << name << ":" << used.line << ": std::" << used.text << " without <"
                << *found->second.begin() << ">";
        }
    }
}

TEST(Includes, HaveWhatIsUsedOfOurs) {
    EXPECT_GT(declared().size(), 1500U);
    for (const auto& [name, file] : files()) {
        const Names included = includedBy(name);
        for (const Word& word : file.words) {
            const auto found = declared().find(word.text);
            const bool isType = std::isupper(static_cast<unsigned char>(word.text.front())) != 0;
            const bool isConstant = word.text.size() > 1 && word.text.front() == 'k' &&
                                    std::isupper(static_cast<unsigned char>(word.text[1])) != 0;
            const bool isMember = word.before == "." || word.before == "->" || word.before == "::";
            if (found == declared().end() || isMember || word.text == kOfArgument ||
                !(isType || isConstant || word.after == '(') || holdsAny(included, found->second)) {
                continue;
            }
            const bool isKnown = std::ranges::any_of(included, [&](const std::string& one) {
                const auto other = files().find(one);
                return other != files().end() && other->second.own.contains(word.text);
            });
            EXPECT_TRUE(isKnown) << name << ":" << word.line << ": " << word.text << " without "
                                 << *found->second.begin();
        }
    }
}

}  // namespace includes_test
}  // namespace fabricast
