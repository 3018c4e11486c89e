#include "planner/launch/shell_words.h"

#include "planner/launch/shell_commands.h"
#include "planner/launch/shell_letters.h"
#include "planner/launch/shell_variables.h"
#include "planner/launch/started_ranks.h"

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
        : letters_(script), source_(source) {}

    /// A word of `outer` that its shell is given as a script.
    ShellReader(const ShellWord& script, const ShellReader& outer)
        : letters_(script.text, script.places),
          source_(outer.source_),
          level_(outer.level_ + 1),
          variables_(&outer.variables_) {
        for (const std::string_view name : kTaskVariables) {
            variables_.unset(std::string(name));  // it is known once the task runs
        }
    }

    Result<ShellScript> read() {
        while (!letters_.isEnd()) {
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
    [[nodiscard]] std::string where() const { return where(letters_.place()); }
    [[nodiscard]] std::string where(LetterPlace place) const {
        return source_ + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
    }

    Result<void> step() {
        const char letter = letters_.next();
        if (letters_.rest().starts_with("\\\n")) {
            (void)letters_.taken(2);
        } else if (letter == ' ' || letter == '\t' || letter == '\r') {
            letters_.take();
        } else if (letter == '#') {
            takeBatch();
        } else if (letter == ')' && inArray_) {
            letters_.take();
            inArray_ = false;
            variables_.setList(array_, std::exchange(list_, {}), addsToArray_, branches_.maySkip());
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

    /// A comment, which Slurm may take for options of the job.
    void takeBatch() {
        const ShellCommand words = takeBatchWords(letters_);
        if (words.empty()) {
            return;
        }
        read_.batch.insert(read_.batch.end(), words.begin(), words.end());
        isBatchNew_ = true;
    }

    /// Before the first word that may ask for them.
    void setBatchVariables() {
        if (!std::exchange(isBatchNew_, false)) {
            return;
        }
        for (const auto& [name, value] : slurmVariables(read_.batch)) {
            std::string assignment = name;
            assignment.append("=").append(value);
            variables_.assign(ShellWord{.text = std::move(assignment)}, false);
        }
        for (const std::string_view name : kTaskVariables) {
            variables_.assign(ShellWord{.text = std::string(name) + "=0"}, false);
        }
    }

    /// What ends a command.
    Result<void> separate() {
        if (const std::size_t length = arithmeticLength(letters_.rest()); length > 0 && !inArray_) {
            for (const std::string& name : namesChangedBy(letters_.taken(length))) {
                variables_.unset(name);
            }
            return {};
        }
        const char letter = letters_.take();
        if (inArray_) {
            return {};
        }
        FABRICAST_TRY(endCommand());
        const bool isDoubled = (letter == '&' || letter == '|') && letters_.next() == letter;
        if (isDoubled) {
            letters_.take();
        }
        branches_.separate(letter, isDoubled);
        if (letter == '\n' && !heredoc_.empty()) {
            skipHeredoc(letters_, std::exchange(heredoc_, ""));
        }
        return {};
    }

    /// In "2> file" the number is no word of the command, either.
    void redirect() {
        std::vector<ShellWord>& words = inArray_ ? list_ : command_;
        const auto isDigit = [](unsigned char one) { return std::isdigit(one) != 0; };
        const bool joined = isDigit(static_cast<unsigned char>(letters_.last()));
        if (joined && !words.empty() && std::ranges::all_of(words.back().text, isDigit)) {
            words.pop_back();
        }
        if (std::string end = takeRedirection(letters_); !end.empty()) {
            heredoc_ = std::move(end);
        }
    }

    /// One word with its quotes; "${LIST[@]}" is as many as the list has.
    Result<void> word() {
        const LetterPlace begin = letters_.place();
        ShellWord word{.text = {}, .line = begin.line, .column = begin.column};
        std::vector<ShellWord> spliced;
        bool isQuoted = false;
        word.isScript = !inArray_ && isScriptNext(command_);
        keepsPlaces_ = !inArray_;
        setBatchVariables();
        while (!letters_.isEnd() && !endsShellWord(letters_.next())) {
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

    /// Of the letters that a word got last. Of very many none are kept.
    void keepPlace(ShellWord& word, LetterPlace place) {
        constexpr std::size_t kMostPlaces = 1'000'000;
        const std::size_t added = word.text.size() - std::min(word.text.size(), word.places.size());
        places_ += keepsPlaces_ ? added : 0;
        keepsPlaces_ = keepsPlaces_ && places_ <= kMostPlaces;
        if (keepsPlaces_) {
            word.places.resize(word.text.size(), place);
        } else {
            word.places.clear();
        }
    }

    /// A value that is put in stands where it was given.
    void takePlaces(ShellWord& word, const ShellExpansion& value) {
        const bool isPlaced = value.places.size() == value.text.size() &&
                              word.places.size() + value.text.size() == word.text.size();
        if (keepsPlaces_ && isPlaced) {
            places_ += value.places.size();
            word.places.insert(word.places.end(), value.places.begin(), value.places.end());
        }
    }

    Result<void> part(ShellWord& word, std::vector<ShellWord>& spliced, bool& isQuoted) {
        const LetterPlace begin = letters_.place();
        const char letter = letters_.take();
        if (letter == '\'' || letter == '"') {
            isQuoted = true;
            FABRICAST_TRY(quoted(letter, begin, word, spliced));
        } else if (letter == '\\') {
            if (letters_.next() == '\n') {
                letters_.take();
            } else if (!letters_.isEnd()) {
                word.text += letters_.take();
            }
        } else if (letter == '$') {
            const ShellExpansion value = takeVariable(letters_, variables_);
            split(value, begin, word);
            word.mayBe += value.mayBe;
            for (const ShellWord& item : value.list.value_or(std::vector<ShellWord>())) {
                splitValue(item, spliced);
            }
        } else {
            word.text += letter;
            if (letter == '=' && letters_.next() == '(') {
                beginArray(word);
            }
        }
        keepPlace(word, begin);
        return {};
    }

    /// Up to the quote that ends it; between double ones variables are put in.
    Result<void> quoted(char quote,
                        LetterPlace begin,
                        ShellWord& word,
                        std::vector<ShellWord>& spliced) {
        while (letters_.next() != quote) {
            if (letters_.isEnd()) {
                return fail(Error::Code::BadInput,
                            where(begin),
                            std::string("a text that began with ") + quote + " does not end");
            }
            const LetterPlace place = letters_.place();
            const char inner = letters_.take();
            if (quote == '\'' || (inner != '\\' && inner != '$')) {
                word.text += inner;
            } else if (inner == '$') {
                const ShellExpansion value = takeVariable(letters_, variables_);
                word.text += value.text;
                takePlaces(word, value);
                spliced = value.list.value_or(spliced);
            } else if (letters_.next() == '\n') {
                letters_.take();
            } else if (!letters_.isEnd()) {
                word.text += letters_.take();
            }
            keepPlace(word, place);
        }
        letters_.take();
        return {};
    }

    /// Outside quotes a value is as many words as it has, each where it stands in the value.
    void split(const ShellExpansion& value, LetterPlace use, ShellWord& word) {
        for (std::size_t i = 0; i < value.text.size(); ++i) {
            const char letter = value.text[i];
            const bool blank = letter == ' ' || letter == '\t' || letter == '\n';
            const LetterPlace place = i < value.places.size() ? value.places[i] : use;
            if (!blank && word.text.empty()) {
                word.line = place.line;
                word.column = place.column;
            }
            if (!blank) {
                word.text += letter;
                keepPlace(word, place);
            } else if (!word.text.empty()) {
                word.isScript = false;  // a shell takes what is not quoted for words
                addWord(word);
                word.text.clear();
                word.places.clear();
            }
        }
    }

    /// NAME=( … ) or NAME+=( … ).
    void beginArray(ShellWord& word) {
        listBegin_ = letters_.place();
        letters_.take();
        inArray_ = true;
        std::string name = std::exchange(word.text, "");
        name.pop_back();
        addsToArray_ = name.ends_with('+');
        array_ = addsToArray_ ? name.substr(0, name.size() - 1) : name;
        list_.clear();
    }

    void addWord(ShellWord word) {
        ++words_;
        if (!word.isScript && !isAssignment(word.text)) {
            word.places.clear();
        }
        (inArray_ ? list_ : command_).push_back(std::move(word));
    }

    /// What a script within the command starts, behind what stands before its shell: of
    /// srun -n 2 bash -c 'torchrun a.py' srun -n 2 torchrun a.py. False where it has none.
    Result<bool> addInner(const ShellCommand& command) {
        constexpr int kMostLevels = 3;
        constexpr int kMostScripts = 16;  // of each
        const auto script = std::ranges::find_if(
            command, [](const ShellWord& word) { return word.isScript && !word.places.empty(); });
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
        while (first < command.size() && branches_.takeKeyword(command[first].text)) {
            ++first;
        }
        command.erase(command.begin(), command.begin() + static_cast<std::ptrdiff_t>(first));
        first = 0;
        const bool exports = !command.empty() && command[0].text == "export";
        const bool declares = !command.empty() && isDeclaration(command[0].text);
        bool isOther = false;  // a number that is worked out, or another variable's name
        for (first = declares ? 1 : 0;
             declares && first < command.size() && command[first].text.starts_with('-');
             ++first) {
            isOther = isOther || command[first].text.find_first_of("in") != std::string::npos;
        }
        const std::size_t begin = first;
        while (first < command.size() && isAssignment(command[first].text)) {
            ++first;
        }
        if ((exports || first < command.size()) && !branches_.maySkip()) {
            const ShellCommand given = environmentOf(command, begin, variables_);
            read_.environment.insert(read_.environment.end(), given.begin(), given.end());
        }
        if (first < command.size()) {  // before a command they are its own
            if (command[first].text == "unset") {
                for (const ShellWord& word : command) {
                    variables_.unset(word.text);
                }
            }
            command.erase(command.begin(), command.begin() + static_cast<std::ptrdiff_t>(first));
            if (sourcesSettings(command)) {
                variables_.takeSourced();
            }
            FABRICAST_ASSIGN(const bool hasInner, addInner(command));
            if (!hasInner) {
                read_.commands.push_back(std::move(command));
            }
            return {};
        }
        for (std::size_t i = begin; i < first; ++i) {
            variables_.assign(command[i], branches_.maySkip());
            if (isOther) {
                variables_.unset(ShellVariables::assignedName(command[i].text));
            }
        }
        return {};
    }

    ShellLetters letters_;
    const std::string& source_;
    int level_ = 0;    ///< of scripts in scripts
    int scripts_ = 0;  ///< that are read within this one
    ShellVariables variables_;
    bool keepsPlaces_ = false;  ///< of the letters of the word that is being read
    std::size_t places_ = 0;    ///< of letters that were kept
    std::size_t words_ = 0;
    bool inArray_ = false;
    LetterPlace listBegin_;
    std::string array_;
    bool addsToArray_ = false;
    bool isBatchNew_ = false;      ///< the variables that Slurm sets by it are not there yet
    std::vector<ShellWord> list_;  ///< that is being read
    ShellCommand command_;
    ShellScript read_;
    ShellBranches branches_;
    std::string heredoc_;  ///< what ends the text that begins with the next line
};

}  // namespace

Result<ShellScript> readShellScript(std::string_view script, const std::string& source) {
    return ShellReader(script, source).read();
}

}  // namespace fabricast
