#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {
namespace headers_test {

namespace fs = std::filesystem;
using Names = std::set<std::string, std::less<>>;

const fs::path kRoot = FABRICAST_SOURCE_DIR;

/// Standard names that many headers have, each for what it takes.
constexpr std::array<std::string_view, 1> kOfMany = {"get"};

/// A word of code, and what stands before and after it, spaces aside.
struct Word {
    std::string text;
    std::string before;  ///< the word or the sign before
    char after = ' ';
    int line = 1;
    bool atMargin = false;  ///< of a line that is not indented
};

struct Header {
    std::vector<std::string> includes;
    std::vector<Word> words;
};

bool isOfWord(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Without comments, texts in quotes and what the preprocessor is told.
std::string codeOf(std::string line) {
    if (line.starts_with('#')) {
        return {};
    }
    line = line.substr(0, line.find("//"));
    for (std::size_t from = line.find('"'); from != std::string::npos;
         from = line.find('"', from + 1)) {
        const std::size_t to = line.find('"', from + 1);
        line.erase(from + 1, to == std::string::npos ? to : to - from - 1);
        ++from;
    }
    return line;
}

void addWords(const std::string& line, int number, Header& header, std::string& before) {
    const std::string code = codeOf(line);
    for (std::size_t at = 0; at < code.size();) {
        if (!isOfWord(code[at])) {
            const bool isPair = at + 1 < code.size() &&
                                (code.compare(at, 2, "::") == 0 || code.compare(at, 2, "->") == 0);
            if (code[at] != ' ') {
                before = code.substr(at, isPair ? 2 : 1);
            }
            at += isPair ? 2 : 1;
            continue;
        }
        const auto end =
            std::find_if_not(code.begin() + static_cast<std::ptrdiff_t>(at), code.end(), isOfWord);
        const auto next = std::find_if(end, code.end(), [](char c) { return c != ' '; });
        Word word{.text = std::string(code.begin() + static_cast<std::ptrdiff_t>(at), end),
                  .before = before,
                  .after = next == code.end() ? ' ' : *next,
                  .line = number,
                  .atMargin = code[0] != ' ' && !code.starts_with("template")};
        at = static_cast<std::size_t>(end - code.begin());
        before = word.text;
        header.words.push_back(std::move(word));
    }
}

Header headerOf(const fs::path& file) {
    Header header;
    std::ifstream in(file);
    std::string before;
    int number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        if (line.starts_with("#include ")) {
            header.includes.push_back(line.substr(10, line.find_first_of(">\"", 10) - 10));
        }
        addWords(line, number, header, before);
    }
    return header;
}

const std::map<std::string, Header>& headers() {
    static const std::map<std::string, Header> kHeaders = [] {
        std::map<std::string, Header> all;
        for (const char* folder : {"planner",
                                   "simulator",
                                   "study",
                                   "machine",
                                   "manual",
                                   "flags",
                                   "cli",
                                   "gui",
                                   "probes"}) {
            for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
                if (entry.path().extension() == ".h") {
                    all.emplace(fs::relative(entry.path(), kRoot).string(), headerOf(entry.path()));
                }
            }
        }
        return all;
    }();
    return kHeaders;
}

/// What a header includes, and what that includes in turn, as far as it is ours; and itself.
void addIncluded(const std::string& name, Names& included) {
    const auto found = headers().find(name);
    if (included.insert(name).second && found != headers().end()) {
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

bool isTypeWord(const std::string& text) {
    return std::isupper(static_cast<unsigned char>(text.front())) != 0 ||
           (text.size() > 1 && text[0] == 'k' &&
            std::isupper(static_cast<unsigned char>(text[1])) != 0);
}

/// Whether a word makes its name known to all that includes its file: "struct X {", "using X =",
/// "constexpr int kX".
bool declares(const Word& word) {
    static const Names kBegins = {"struct", "class", "enum", "using", "concept", "]"};
    const bool isConstant = word.text.front() == 'k' && (word.after == '=' || word.after == '[');
    return (kBegins.contains(word.before) && word.after != ';') || isConstant;
}

/// Or to its own file: members, enumerators, parameters of templates and names that are declared,
/// too.
bool isOwn(const Word& word) {
    static const Names kBegins = {"struct", "class", "typename"};
    const bool isEnumerator = (word.before == "{" || word.before == ",") &&
                              std::string_view(",}= ").find(word.after) != std::string_view::npos;
    return declares(word) || kBegins.contains(word.before) || isEnumerator || word.text.size() == 1;
}

/// Where the names of our types and constants that any file may use are declared.
const std::map<std::string, Names>& declared() {
    static const std::map<std::string, Names> kDeclared = [] {
        std::map<std::string, Names> all;
        for (const auto& [name, header] : headers()) {
            for (const Word& word : header.words) {
                if (word.atMargin && declares(word)) {
                    all[word.text].insert(name);
                }
            }
        }
        for (const auto& [name, header] : headers()) {
            for (const Word& word : header.words) {
                if (word.atMargin && word.before == "class" && word.after == ';' &&
                    all.contains(word.text)) {
                    all[word.text].insert(name);  // as far as it is named alone
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

TEST(Headers, IncludeWhatTheyUseOfTheStandardLibrary) {
    const std::map<std::string, Names> providers = standardNames();
    EXPECT_GT(headers().size(), 800U);
    for (const auto& [name, header] : headers()) {
        const Names included = includedBy(name);
        for (std::size_t at = 0; at + 1 < header.words.size(); ++at) {
            const bool isOfRanges =
                header.words[at].text == "ranges" && header.words[at].before == "::";
            if ((header.words[at].text != "std" && !isOfRanges) ||
                header.words[at + 1].before != "::" || header.words[at + 1].text == "ranges") {
                continue;
            }
            const Word& used = header.words[at + 1];
            if (std::ranges::find(kOfMany, used.text) != kOfMany.end()) {
                continue;
            }
            const auto found = providers.find(used.text);
            ASSERT_NE(found, providers.end())
                << name << ":" << used.line << ": which header has std::" << used.text << "?";
            const bool has = std::ranges::any_of(
                found->second, [&](const std::string& one) { return included.contains(one); });
            EXPECT_TRUE(has) << name << ":" << used.line << ": std::" << used.text << " without <"
                             << *found->second.begin() << ">";
        }
    }
}

TEST(Headers, IncludeWhatTheyUseOfOurs) {
    EXPECT_GT(declared().size(), 500U);
    for (const auto& [name, header] : headers()) {
        const Names included = includedBy(name);
        Names own;
        for (const Word& word : header.words) {
            if (isOwn(word)) {
                own.insert(word.text);
            }
        }
        for (const Word& word : header.words) {
            const auto found = declared().find(word.text);
            const bool isMember = word.before == "." || word.before == "->" || word.before == "::";
            if (found == declared().end() || !isTypeWord(word.text) || isMember ||
                own.contains(word.text)) {
                continue;
            }
            const bool has = std::ranges::any_of(
                found->second, [&](const std::string& one) { return included.contains(one); });
            EXPECT_TRUE(has) << name << ":" << word.line << ": " << word.text << " without "
                             << *found->second.begin();
        }
    }
}

}  // namespace headers_test
}  // namespace fabricast
