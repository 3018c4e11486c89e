#include "planner/launch/shell_words.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>

namespace fabricast {
namespace {

constexpr std::size_t kMostWords = 200'000;
constexpr std::size_t kLongestWord = 65'536;

bool isNameLetter(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

/// Reads a script once, from its first letter to its last.
class ShellReader {
public:
    ShellReader(std::string_view script, const std::string& source)
        : script_(script), source_(source) {}

    Result<ShellScript> read() {
        while (at_ < script_.size()) {
            FABRICAST_TRY(step());
        }
        endCommand();
        if (inArray_) {
            return fail(Error::Code::BadInput, where(), "a list that began with ( does not end");
        }
        return std::move(read_);
    }

private:
    [[nodiscard]] char next() const { return at_ < script_.size() ? script_[at_] : '\0'; }
    [[nodiscard]] std::string where() const {
        return source_ + ":" + std::to_string(line_) + ":" + std::to_string(column_);
    }

    char take() {
        const char letter = script_[at_++];
        ++column_;
        if (letter == '\n') {
            ++line_;
            column_ = 1;
        }
        return letter;
    }

    Result<void> step() {
        const char letter = next();
        if (letter == '\\' && at_ + 1 < script_.size() && script_[at_ + 1] == '\n') {
            take();
            take();
        } else if (letter == ' ' || letter == '\t' || letter == '\r') {
            take();
        } else if (letter == '#') {
            comment();
        } else if (letter == ')' && inArray_) {
            take();
            inArray_ = false;
            lists_[array_] = std::exchange(list_, {});
            if (branches_ > 0 || subshells_ > 0 || mayNot_) {
                inBranches_.insert(array_);
            }
        } else if (letter == '<' || letter == '>') {
            redirect();
        } else if (letter == '\n' || letter == ';' || letter == '|' || letter == '&' ||
                   letter == '(' || letter == ')') {
            separate();
        } else {
            return word();
        }
        return {};
    }

    /// Slurm reads comments that begin a line with #SBATCH.
    void comment() {
        const bool begins = column_ == 1;
        ShellCommand words;
        while (at_ < script_.size() && next() != '\n') {
            const bool blank = next() == ' ' || next() == '\t' || next() == '\r';
            if (!blank && (words.empty() || script_[at_ - 1] == ' ' || script_[at_ - 1] == '\t')) {
                words.push_back({.text = {}, .line = line_, .column = column_});
            }
            const char letter = take();
            if (!blank) {
                words.back().text += letter;
            }
        }
        if (begins && !words.empty() && words.front().text == "#SBATCH") {
            read_.batch.insert(read_.batch.end(), words.begin() + 1, words.end());
        }
    }

    /// What ends a command. Behind && and ||, and in a subshell, things may not be so.
    void separate() {
        const char letter = take();
        if (inArray_) {
            return;
        }
        endCommand();
        mayNot_ = (letter == '&' || letter == '|') && next() == letter;
        if (mayNot_) {
            take();
        }
        subshells_ += letter == '(' ? 1 : letter == ')' && subshells_ > 0 ? -1 : 0;
        if (letter == '\n' && !heredoc_.empty()) {
            skipHeredoc();
        }
    }

    /// "2> file", "2>&1" and "<<END" are no words of the command.
    void redirect() {
        const char letter = take();
        std::vector<ShellWord>& words = inArray_ ? list_ : command_;
        const bool joined =
            at_ >= 2 && std::isdigit(static_cast<unsigned char>(script_[at_ - 2])) != 0;
        if (joined && !words.empty() &&
            std::ranges::all_of(words.back().text,
                                [](unsigned char one) { return std::isdigit(one) != 0; })) {
            words.pop_back();
        }
        const bool here = letter == '<' && next() == '<';
        while (at_ < script_.size() &&
               std::string_view("<>&-| \t").find(next()) != std::string_view::npos) {
            take();
        }
        std::string target;
        while (at_ < script_.size() && !endsWord(next())) {
            target += take();
        }
        if (here) {
            std::erase(target, '\'');
            std::erase(target, '"');
            heredoc_ = target;
        }
    }

    void skipHeredoc() {
        const std::string end = std::exchange(heredoc_, "");
        std::string line;
        while (at_ < script_.size()) {
            const char letter = take();
            if (letter != '\n') {
                line += letter == '\t' && line.empty() ? "" : std::string(1, letter);
            } else if (std::exchange(line, "") == end) {
                return;
            }
        }
    }

    /// One word with its quotes; "${LIST[@]}" is as many as the list has.
    Result<void> word() {
        ShellWord word{.text = {}, .line = line_, .column = column_};
        std::vector<ShellWord> spliced;
        bool isQuoted = false;
        while (at_ < script_.size() && !endsWord(next())) {
            FABRICAST_TRY(part(word, spliced, isQuoted));
            if (word.text.size() > kLongestWord) {
                return fail(Error::Code::BadInput, where(), "a word is too long");
            }
        }
        if (!spliced.empty() && word.text.empty()) {
            for (ShellWord& one : spliced) {
                addWord(std::move(one));
            }
        } else if (!word.text.empty() || isQuoted) {
            addWord(std::move(word));
        }
        return words_ > kMostWords
                   ? Result<void>(fail(
                         Error::Code::BadInput, where(), "more words than a launch script has"))
                   : Result<void>();
    }

    [[nodiscard]] static bool endsWord(char letter) {
        return std::string_view(" \t\r\n;|&()<>").find(letter) != std::string_view::npos;
    }

    Result<void> part(ShellWord& word, std::vector<ShellWord>& spliced, bool& isQuoted) {
        const char letter = take();
        if (letter == '\'') {
            isQuoted = true;
            while (next() != '\'') {
                FABRICAST_TRY(hasMore("'"));
                word.text += take();
            }
            take();
        } else if (letter == '"') {
            isQuoted = true;
            while (next() != '"') {
                FABRICAST_TRY(hasMore("\""));
                const char inner = take();
                if (inner == '\\' && next() == '\n') {
                    take();
                } else if (inner == '\\' && at_ < script_.size()) {
                    word.text += take();
                } else if (inner == '$') {
                    variable(word.text, spliced);
                } else {
                    word.text += inner;
                }
            }
            take();
        } else if (letter == '\\') {
            if (next() == '\n') {
                take();
            } else if (at_ < script_.size()) {
                word.text += take();
            }
        } else if (letter == '$') {
            std::string value;
            std::vector<ShellWord> items;
            variable(value, items);
            split(value, word);
            for (const ShellWord& item : items) {
                splitInto(item, spliced);
            }
        } else {
            word.text += letter;
            if (letter == '=' && next() == '(') {
                beginArray(word);
            }
        }
        return {};
    }

    /// Outside quotes a value is as many words as it has.
    void split(const std::string& value, ShellWord& word) {
        for (const char letter : value) {
            const bool blank = letter == ' ' || letter == '\t' || letter == '\n';
            if (!blank) {
                word.text += letter;
            } else if (!word.text.empty()) {
                addWord(word);
                word.text.clear();
            }
        }
    }

    static void splitInto(const ShellWord& item, std::vector<ShellWord>& words) {
        ShellWord word{.text = {}, .line = item.line, .column = item.column};
        for (const char letter : item.text + " ") {
            if (letter != ' ' && letter != '\t' && letter != '\n') {
                word.text += letter;
            } else if (!word.text.empty()) {
                words.push_back(word);
                word.text.clear();
            }
        }
    }

    Result<void> hasMore(const char* quote) const {
        return at_ < script_.size()
                   ? Result<void>()
                   : fail(Error::Code::BadInput,
                          where(),
                          std::string("a text that began with ") + quote + " does not end");
    }

    /// NAME=( … ) or NAME+=( … ).
    void beginArray(ShellWord& word) {
        take();
        inArray_ = true;
        std::string name = std::exchange(word.text, "");
        name.pop_back();
        const bool adds = name.ends_with('+');
        array_ = adds ? name.substr(0, name.size() - 1) : name;
        list_ = adds ? lists_[array_] : std::vector<ShellWord>();  // what it was is still read
    }

    /// $NAME, ${NAME}, ${NAME:-usual} or ${NAME[@]}; anything else stays as it is written.
    void variable(std::string& text, std::vector<ShellWord>& spliced) {
        const bool braced = next() == '{';
        std::size_t end = at_ + (braced ? 1 : 0);
        const std::size_t begin = end;
        while (end < script_.size() && isNameLetter(script_[end])) {
            ++end;
        }
        const std::string name(script_.substr(begin, end - begin));
        if (name.empty()) {
            text += '$';
            return;
        }
        std::string rest;
        if (braced) {
            const std::size_t close = std::min(script_.find('}', end), script_.size());
            rest = std::string(script_.substr(end, close - end));
            end = std::min(close + 1, script_.size());
        }
        while (at_ < end) {
            take();
        }
        const bool isOpen = inBranches_.contains(name);  // which is taken is not known
        if (rest == "[@]" || rest == "[*]") {
            const auto list = lists_.find(name);
            if (list == lists_.end() || isOpen) {
                text += "$" + name + "[@]";
            } else {
                spliced = list->second;
            }
            return;
        }
        if (isOpen) {
            text += "$" + name;
            return;
        }
        const auto known = values_.find(name);
        if (known != values_.end()) {
            text += known->second;
        } else if (rest.starts_with(":-") || rest.starts_with(":=")) {
            std::string usual = rest.substr(2);
            std::erase(usual, '"');
            std::erase(usual, '\'');
            text += usual;
        } else {
            text += "$" + name;
        }
    }

    void addWord(ShellWord word) {
        ++words_;
        (inArray_ ? list_ : command_).push_back(std::move(word));
    }

    /// A command of assignments alone sets variables for what follows.
    void endCommand() {
        ShellCommand command = std::exchange(command_, {});
        std::size_t first = 0;
        while (first < command.size() && isKeyword(command[first].text)) {
            ++first;
        }
        command.erase(command.begin(), command.begin() + static_cast<std::ptrdiff_t>(first));
        first = 0;
        const bool exports = !command.empty() && command[0].text == "export";
        if (exports || (!command.empty() && command[0].text == "declare")) {
            first = 1;
        }
        const std::size_t begin = first;
        while (first < command.size() && isAssignment(command[first].text)) {
            ++first;
        }
        if (exports || first < command.size()) {
            pass(command, begin);
        }
        if (first < command.size()) {  // before a command they are its own
            if (command[first].text == "unset") {
                for (const ShellWord& word : command) {
                    inBranches_.insert(word.text);
                }
            }
            command.erase(command.begin(), command.begin() + static_cast<std::ptrdiff_t>(first));
            read_.commands.push_back(std::move(command));
            return;
        }
        for (std::size_t i = begin; i < first; ++i) {
            assign(command[i].text);
        }
    }

    /// What a command is given in its environment: "NAME=value", or a variable that has a value.
    void pass(const ShellCommand& command, std::size_t begin) {
        if (branches_ > 0 || subshells_ > 0 || mayNot_) {
            return;
        }
        for (std::size_t i = begin; i < command.size(); ++i) {
            const auto known = values_.find(command[i].text);
            if (isAssignment(command[i].text)) {
                read_.environment.push_back(command[i]);
            } else if (command[0].text != "export") {
                return;
            } else if (known != values_.end()) {
                ShellWord word = command[i];
                word.text += "=" + known->second;
                read_.environment.push_back(std::move(word));
            }
        }
    }

    static std::string nameOfAssignment(const std::string& word) {
        const std::size_t equals = word.find('=');
        const bool adds = equals != std::string::npos && equals > 0 && word[equals - 1] == '+';
        return equals == std::string::npos ? "" : word.substr(0, equals - (adds ? 1 : 0));
    }
    static bool isAssignment(const std::string& word) {
        const std::string name = nameOfAssignment(word);
        return !name.empty() && std::ranges::all_of(name, isNameLetter);
    }

    /// Words of the shell itself; what is set between some of them may not be.
    bool isKeyword(const std::string& word) {
        if (word == "if" || word == "case" || word == "for" || word == "while" || word == "until") {
            ++branches_;
            return word != "case" && word != "for";
        }
        if (word == "fi" || word == "esac" || word == "done") {
            branches_ = std::max(0, branches_ - 1);
            return true;
        }
        return word == "then" || word == "do" || word == "else" || word == "elif" ||
               word == "exec" || word == "{" || word == "}";
    }

    void assign(const std::string& word) {
        const std::string name = nameOfAssignment(word);
        const std::size_t equals = word.find('=');
        const bool adds = equals > name.size();
        values_[name] = (adds ? values_[name] : "") + word.substr(equals + 1);
        if (branches_ > 0 || subshells_ > 0 || mayNot_) {
            inBranches_.insert(name);
        } else if (!adds) {
            inBranches_.erase(name);
        }
    }

    std::string_view script_;
    const std::string& source_;
    std::size_t at_ = 0;
    std::int64_t line_ = 1;
    std::int64_t column_ = 1;
    std::size_t words_ = 0;
    bool inArray_ = false;
    std::string array_;
    std::vector<ShellWord> list_;  ///< that is being read
    ShellCommand command_;
    ShellScript read_;
    int branches_ = 0;  ///< of if, case and loops that are open
    int subshells_ = 0;
    bool mayNot_ = false;  ///< the command stands behind && or ||
    std::string heredoc_;  ///< what ends the text that begins with the next line
    std::set<std::string> inBranches_;
    std::map<std::string, std::string> values_;
    std::map<std::string, std::vector<ShellWord>> lists_;
};

}  // namespace

Result<ShellScript> readShellScript(std::string_view script, const std::string& source) {
    return ShellReader(script, source).read();
}

}  // namespace fabricast
