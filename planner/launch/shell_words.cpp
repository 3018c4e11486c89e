#include "planner/launch/shell_words.h"

#include "planner/launch/shell_arithmetic.h"
#include "planner/launch/shell_variables.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace fabricast {
namespace {

constexpr std::size_t kMostWords = 200'000;
constexpr std::size_t kLongestWord = 65'536;

/// Reads a script once, from its first letter to its last.
class ShellReader {
public:
    ShellReader(std::string_view script, const std::string& source)
        : script_(script), source_(source) {}

    /// A word of `outer` that its shell is given as a script.
    ShellReader(const ShellWord& script, const ShellReader& outer)
        : script_(script.text),
          source_(outer.source_),
          places_(script.places),
          level_(outer.level_ + 1),
          variables_(&outer.variables_) {
        moveTo(0);
    }

    Result<ShellScript> read() {
        while (at_ < script_.size()) {
            FABRICAST_TRY(step());
        }
        FABRICAST_TRY(endCommand());
        if (inArray_) {
            return fail(
                Error::Code::BadInput, where(listBegin_), "a list that began with ( does not end");
        }
        return std::move(read_);
    }

private:
    void moveTo(std::size_t letter) {
        if (letter < places_.size()) {
            line_ = places_[letter].line;
            column_ = places_[letter].column;
        }
    }

    [[nodiscard]] char next() const { return at_ < script_.size() ? script_[at_] : '\0'; }
    [[nodiscard]] std::string where() const { return where({line_, column_}); }
    [[nodiscard]] std::string where(LetterPlace place) const {
        return source_ + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
    }

    char take() {
        const char letter = script_[at_++];
        ++column_;
        if (letter == '\n') {
            ++line_;
            column_ = 1;
        }
        moveTo(at_);
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
            variables_.setList(array_, std::exchange(list_, {}), isInBranch());
        } else if (letter == '<' || letter == '>') {
            redirect();
        } else if (letter == '\n' || letter == ';' || letter == '|' || letter == '&' ||
                   letter == '(' || letter == ')') {
            return separate();
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

    /// So many letters.
    std::string taken(std::size_t length) {
        std::string text;
        for (std::size_t i = 0; i < length; ++i) {
            text += take();
        }
        return text;
    }

    /// What ends a command. Behind && and ||, and in a subshell, things may not be so.
    Result<void> separate() {
        if (const std::size_t length = arithmeticLength(script_.substr(at_));
            length > 0 && !inArray_) {
            for (const std::string& name : namesChangedBy(taken(length))) {
                variables_.unset(name);
            }
            return {};
        }
        const char letter = take();
        if (inArray_) {
            return {};
        }
        FABRICAST_TRY(endCommand());
        mayNot_ = (letter == '&' || letter == '|') && next() == letter;
        if (mayNot_) {
            take();
        }
        subshells_ += letter == '(' ? 1 : letter == ')' && subshells_ > 0 ? -1 : 0;
        if (letter == '\n' && !heredoc_.empty()) {
            skipHeredoc();
        }
        return {};
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
        const bool isText = letter == '<' && script_.substr(at_).starts_with("<<");  // <<< "text"
        const bool here = letter == '<' && next() == '<' && !isText;
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
        keepsPlaces_ = !inArray_ && isScriptNext(command_);
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
        return hasFewWords();
    }

    [[nodiscard]] Result<void> hasFewWords() const {
        return words_ > kMostWords
                   ? Result<void>(fail(
                         Error::Code::BadInput, where(), "more words than a launch script has"))
                   : Result<void>();
    }

    [[nodiscard]] static bool endsWord(char letter) {
        return std::string_view(" \t\r\n;|&()<>").find(letter) != std::string_view::npos;
    }

    void keepPlace(ShellWord& word, LetterPlace place) const {
        if (keepsPlaces_) {
            word.places.resize(word.text.size(), place);
        }
    }

    Result<void> part(ShellWord& word, std::vector<ShellWord>& spliced, bool& isQuoted) {
        const LetterPlace begin{line_, column_};
        const char letter = take();
        if (letter == '\'') {
            isQuoted = true;
            while (next() != '\'') {
                FABRICAST_TRY(hasMore("'", begin));
                const LetterPlace place{line_, column_};
                word.text += take();
                keepPlace(word, place);
            }
            take();
        } else if (letter == '"') {
            isQuoted = true;
            while (next() != '"') {
                FABRICAST_TRY(hasMore("\"", begin));
                const LetterPlace place{line_, column_};
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
                keepPlace(word, place);
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
        keepPlace(word, begin);
        return {};
    }

    /// Outside quotes a value is as many words as it has.
    void split(const std::string& value, ShellWord& word) {
        for (const char letter : value) {
            const bool blank = letter == ' ' || letter == '\t' || letter == '\n';
            if (!blank) {
                word.text += letter;
            } else if (!word.text.empty()) {
                keepsPlaces_ = false;  // a shell takes what is not quoted for words
                word.places.clear();
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

    Result<void> hasMore(const char* quote, LetterPlace begin) const {
        return at_ < script_.size()
                   ? Result<void>()
                   : fail(Error::Code::BadInput,
                          where(begin),
                          std::string("a text that began with ") + quote + " does not end");
    }

    /// NAME=( … ) or NAME+=( … ).
    void beginArray(ShellWord& word) {
        listBegin_ = {line_, column_};
        take();
        inArray_ = true;
        std::string name = std::exchange(word.text, "");
        name.pop_back();
        const bool adds = name.ends_with('+');
        array_ = adds ? name.substr(0, name.size() - 1) : name;
        const std::vector<ShellWord>* const before = adds ? variables_.listOf(array_) : nullptr;
        list_ = before == nullptr ? std::vector<ShellWord>() : *before;  // it is still read
    }

    /// $NAME, ${NAME}, ${NAME:-usual} or ${NAME[@]}; anything else stays as it is written.
    void variable(std::string& text, std::vector<ShellWord>& spliced) {
        if (const std::size_t length = arithmeticLength(script_.substr(at_)); length > 0) {
            text += "$" + taken(length);  // worked out when the script runs
            return;
        }
        const bool braced = next() == '{';
        std::size_t end = at_ + (braced ? 1 : 0);
        const std::size_t begin = end;
        while (end < script_.size() && ShellVariables::isNameLetter(script_[end])) {
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
        if (rest == "[@]" || rest == "[*]") {
            const std::vector<ShellWord>* const list = variables_.listOf(name);
            if (list == nullptr || variables_.isOpen(name)) {
                text += "$" + name + "[@]";
            } else {
                spliced = *list;
            }
            return;
        }
        if (variables_.isOpen(name)) {
            text += "$" + name;
            return;
        }
        if (const std::string* const known = variables_.valueOf(name)) {
            text += *known;
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

    /// Whether a shell takes the next word for a script: behind "bash -c", "sh -lc" and "eval".
    static bool isScriptNext(const ShellCommand& command) {
        std::size_t last = command.size();
        bool isAsked = false;
        while (last > 0 && command[last - 1].text.starts_with('-')) {
            const std::string& option = command[--last].text;
            isAsked = isAsked || (!option.starts_with("--") && option.ends_with('c'));
        }
        const std::string name =
            last == 0 ? "" : command[last - 1].text.substr(command[last - 1].text.rfind('/') + 1);
        return name == "eval" || (isAsked && (name == "bash" || name == "sh" || name == "zsh"));
    }

    /// What a script within the command starts, behind what stands before its shell: of
    /// srun -n 2 bash -c 'torchrun a.py' srun -n 2 torchrun a.py. False where it has none.
    Result<bool> addInner(const ShellCommand& command) {
        constexpr int kMostLevels = 3;
        constexpr int kMostScripts = 16;  // of each
        const auto script = std::ranges::find_if(
            command, [](const ShellWord& word) { return !word.places.empty(); });
        if (script == command.end() || level_ == kMostLevels || scripts_ == kMostScripts) {
            return false;
        }
        auto shell = script - 1;
        while (shell->text.starts_with('-')) {
            --shell;
        }
        ++scripts_;
        FABRICAST_ASSIGN(const ShellScript inner, ShellReader(*script, *this).read());
        read_.environment.insert(
            read_.environment.end(), inner.environment.begin(), inner.environment.end());
        for (const ShellCommand& one : inner.commands) {
            ShellCommand whole(command.begin(), shell);
            whole.insert(whole.end(), one.begin(), one.end());
            words_ += whole.size();
            FABRICAST_TRY(hasFewWords());
            read_.commands.push_back(std::move(whole));
        }
        return true;
    }

    /// A command of assignments alone sets variables for what follows.
    Result<void> endCommand() {
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
                    variables_.unset(word.text);
                }
            }
            command.erase(command.begin(), command.begin() + static_cast<std::ptrdiff_t>(first));
            FABRICAST_ASSIGN(const bool hasInner, addInner(command));
            if (!hasInner) {
                read_.commands.push_back(std::move(command));
            }
            return {};
        }
        for (std::size_t i = begin; i < first; ++i) {
            variables_.assign(command[i].text, isInBranch());
        }
        return {};
    }

    /// What a command is given in its environment: "NAME=value", or a variable that has a value.
    void pass(const ShellCommand& command, std::size_t begin) {
        if (isInBranch()) {
            return;
        }
        for (std::size_t i = begin; i < command.size(); ++i) {
            const std::string* const known = variables_.valueOf(command[i].text);
            if (isAssignment(command[i].text)) {
                read_.environment.push_back(command[i]);
            } else if (command[0].text != "export") {
                return;
            } else if (known != nullptr) {
                ShellWord word = command[i];
                word.text += "=" + *known;
                read_.environment.push_back(std::move(word));
            }
        }
    }

    static bool isAssignment(const std::string& word) {
        return !ShellVariables::assignedName(word).empty();
    }
    /// Whether what is set here may not be.
    [[nodiscard]] bool isInBranch() const { return branches_ > 0 || subshells_ > 0 || mayNot_; }

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

    std::string_view script_;
    const std::string& source_;
    std::vector<LetterPlace> places_;  ///< of its letters, where it is a word of another script
    int level_ = 0;                    ///< of scripts in scripts
    int scripts_ = 0;                  ///< that are read within this one
    ShellVariables variables_;
    bool keepsPlaces_ = false;  ///< the word that is being read is such a script
    std::size_t at_ = 0;
    std::int64_t line_ = 1;
    std::int64_t column_ = 1;
    std::size_t words_ = 0;
    bool inArray_ = false;
    LetterPlace listBegin_;
    std::string array_;
    std::vector<ShellWord> list_;  ///< that is being read
    ShellCommand command_;
    ShellScript read_;
    int branches_ = 0;  ///< of if, case and loops that are open
    int subshells_ = 0;
    bool mayNot_ = false;  ///< the command stands behind && or ||
    std::string heredoc_;  ///< what ends the text that begins with the next line
};

}  // namespace

Result<ShellScript> readShellScript(std::string_view script, const std::string& source) {
    return ShellReader(script, source).read();
}

}  // namespace fabricast
