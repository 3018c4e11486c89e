#include "flags/command_line.h"

#include "manual/help_text.h"
#include "study/flag_words.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

namespace fabricast {
namespace {

/// What was wrong with the value of a flag, in our own words.
class FlagError : public CLI::ParseError {
public:
    explicit FlagError(fabricast::Error error)
        : ParseError("FlagError", error.why, CLI::ExitCodes::ValidationError),
          error_(std::move(error)) {}
    [[nodiscard]] const fabricast::Error& error() const { return error_; }

private:
    fabricast::Error error_;
};

/// "fabricast profiles show".
std::string commandName(const CLI::App& app) {
    const CLI::App* parent = app.get_parent();
    return parent == nullptr ? app.get_name() : commandName(*parent) + " " + app.get_name();
}

/// The subcommand that was chosen, innermost first, or the program.
const CLI::App* chosenCommand(const CLI::App& program) {
    const CLI::App* app = &program;
    while (!app->get_subcommands().empty()) {
        app = app->get_subcommands().front();
    }
    return app;
}

// ---- what was declared

std::vector<std::string> splitWords(const std::string& joined) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at < joined.size();) {
        const std::size_t end = std::min(joined.find('|', at), joined.size());
        words.push_back(joined.substr(at, end - at));
        at = end + 1;
    }
    return words;
}

FlagInfo infoOf(const CLI::Option& option) {
    FlagInfo flag{.names = {},
                  .value = option.get_option_text(),
                  .description = option.get_description(),
                  .group = option.get_group(),
                  .words = option.get_type_name().find('|') == std::string::npos
                               ? std::vector<std::string>()
                               : splitWords(option.get_type_name()),
                  .repeats = option.get_expected_max() > 1,
                  .isList = option.get_delimiter() != '\0',
                  .example = option.get_default_str()};
    if (flag.example.empty() && !flag.words.empty()) {
        flag.example = flag.words.front();
    }
    for (const std::string& letter : option.get_snames()) {
        flag.names.push_back("-" + letter);
    }
    for (const std::string& word : option.get_lnames()) {
        flag.names.push_back("--" + word);
    }
    return flag;
}

CommandInfo infoOf(const CLI::App& app) {
    CommandInfo command{.name = commandName(app),
                        .description = app.get_description(),
                        .groups = app.get_groups(),
                        .footer = app.get_footer(),
                        .isProgram = app.get_parent() == nullptr};
    for (const CLI::Option* option : app.get_options()) {
        const bool isShown = !option->get_group().empty();
        if (isShown) {
            (option->get_positional() ? command.arguments : command.flags)
                .push_back(infoOf(*option));
        }
    }
    for (const CLI::App* inner : app.get_subcommands([](const CLI::App*) { return true; })) {
        command.commands.push_back(infoOf(*inner));
    }
    return command;
}

/// What to type for it: "--steps 1", or where it has no example the word for its value.
std::string exampleOf(const CLI::Option& option, const std::string& flag) {
    const FlagInfo info = infoOf(option);
    if (option.get_positional()) {
        return info.example;
    }
    const std::string value = info.example.empty() ? info.value : info.example;
    return value.empty() ? value : flag + " " + value;
}

/// Of a command, or of one that it is in, by one of the flag's names.
std::string exampleOf(const CLI::App& command, const std::string& flag) {
    for (const CLI::App* app = &command; app != nullptr; app = app->get_parent()) {
        if (const CLI::Option* const option = app->get_option_no_throw(flag)) {
            return exampleOf(*option, flag);
        }
    }
    return "";
}

/// The flag that a word begins with, of a command or of one that it is in: of "--seq=8", "-n4" or
/// "-qn". Nothing where none does.
const CLI::Option* optionTyped(const CLI::App& command, const std::string& word) {
    if (word.size() < 2 || word.front() != '-') {
        return nullptr;
    }
    const std::string name =
        word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
    for (const CLI::App* app = &command; app != nullptr; app = app->get_parent()) {
        if (const CLI::Option* const option = app->get_option_no_throw(name)) {
            return option;
        }
    }
    return nullptr;
}

// ---- what was wrong with the arguments

std::vector<std::string_view> flagNamesOf(const CLI::App* app) {
    std::vector<std::string_view> names;
    for (; app != nullptr; app = app->get_parent()) {
        for (const CLI::Option* option : app->get_options()) {
            for (const std::string& name : option->get_lnames()) {
                names.push_back(name);
            }
        }
    }
    return names;
}

std::vector<std::string_view> commandNamesOf(const CLI::App* app) {
    std::vector<std::string_view> views;
    for (const CLI::App* command : app->get_subcommands({})) {
        views.push_back(command->get_name());
    }
    return views;
}

/// The flags of training programs, for commands on a scenario.
std::string frameworkHint(const CLI::App& app, const std::string& typed, const std::string& value) {
    const std::string hint = flagInstead(typed, value);
    const bool isOfOther = hint.starts_with("fabricast ");
    return isOfOther || app.get_option_no_throw("--layout") != nullptr ? hint : "";
}

/// The flag that was meant: of nearly the same letters, or cut short (--seq for --sequence).
std::string nearFlag(const std::string& typed, const std::vector<std::string_view>& flags) {
    constexpr std::size_t kFewLetters = 3;
    if (typed.size() < 2) {
        return "";
    }
    std::string near = nearestName(typed, flags);
    for (const std::string_view flag : flags) {
        if (near.empty() && flag.size() >= kFewLetters && typed.starts_with(flag)) {
            near = flag;
        }
    }
    return near;
}

/// What was typed as the value of a flag: "=8", or the next word, unless that is a flag or a file.
std::string valueTypedOf(const std::string& flag, const std::vector<std::string>& arguments) {
    if (const std::size_t equals = flag.find('='); equals != std::string::npos) {
        return flag.substr(equals + 1);
    }
    const auto place = std::ranges::find(arguments, flag);
    const bool isLast = place == arguments.end() || place + 1 == arguments.end();
    const std::string next = isLast ? "" : *(place + 1);
    return next.starts_with('-') || next.find_first_of("./") != std::string::npos ? "" : next;
}

Error unknownFlag(const CLI::App* app,
                  const std::string& flag,
                  const std::vector<std::string>& arguments) {
    const std::string name = flag.substr(0, flag.find('='));
    const std::string value = valueTypedOf(flag, arguments);
    const std::size_t letters = name.find_first_not_of('-');
    const std::string typed = letters == std::string::npos ? "" : name.substr(letters);
    if (std::string hint = frameworkHint(*app, typed, value); !hint.empty()) {
        return {Error::Code::BadInput, name, "unknown flag", std::move(hint)};
    }
    const std::string near = nearFlag(typed, flagNamesOf(app));
    return {Error::Code::BadInput,
            name,
            "unknown flag",
            near.empty() ? commandName(*app) + " --help" : "--" + near};
}

Error unexpected(const CLI::App& program,
                 const std::string& word,
                 const std::vector<std::string>& arguments) {
    const CLI::App* app = chosenCommand(program);
    if (word.size() > 1 && word.front() == '-') {
        return unknownFlag(app, word, arguments);
    }
    const std::vector<std::string_view> commands = commandNamesOf(app);
    if (commands.empty()) {
        return {Error::Code::BadInput,
                "",
                "\"" + word + "\" is not expected after \"" + commandName(*app) + "\"",
                commandName(*app) + " --help"};
    }
    return {
        Error::Code::BadInput, "", "unknown command \"" + word + "\"", suggestName(word, commands)};
}

/// What to type instead of a flag that is given twice.
struct Repeated {
    std::string_view flag;
    std::string_view command;  ///< of which; empty: of every one
    std::string_view why;
    std::string_view hint;
};
constexpr std::array kRepeated = {
    Repeated{"--cluster",
             "compare",
             "is given twice: commas separate the clusters",
             "-c dgx-h100,dgx-h200"},
    Repeated{"--cluster",
             "",
             "is given twice: plan and size compare several boxes",
             "fabricast plan -c A -c B, or fabricast size -c A -c B"},
    Repeated{"--stack",
             "compare",
             "is given twice: commas separate the stacks",
             "--stack fsdp2,megatron"},
    Repeated{"--layout", "", "is given twice: commas separate its keys", "--layout tp=8,pp=4"}};

/// "--model: 1 required TEXT missing" and "--model: At Most 1 required but received 2".
Error mismatch(const std::string& what, const CLI::App& app) {
    const std::string flag = what.substr(0, what.find(':'));
    const bool repeated = what.find("received") != std::string::npos;
    for (const Repeated& one : kRepeated) {
        const bool isOf = one.command.empty() || app.get_name() == one.command;
        if (repeated && flag == one.flag && isOf) {
            return {Error::Code::BadInput, flag, std::string(one.why), std::string(one.hint)};
        }
    }
    std::string hint = repeated ? "one " + flag : exampleOf(app, flag);
    return {Error::Code::BadInput,
            flag,
            repeated ? "is given twice" : "needs a value",
            hint.empty() ? commandName(app) + " --help" : std::move(hint)};
}

Error argumentError(const CLI::App& program,
                    const CLI::ParseError& failure,
                    const std::vector<std::string>& arguments) {
    const CLI::App* app = chosenCommand(program);
    if (const std::vector<std::string> rest = program.remaining(true); !rest.empty()) {
        return unexpected(program, rest.front(), arguments);
    }
    if (const auto* ours = dynamic_cast<const FlagError*>(&failure)) {
        return ours->error();
    }
    const std::string help = commandName(*app) + " --help";
    if (!app->get_subcommands({}).empty()) {
        return {
            Error::Code::BadInput, "", "missing command after \"" + commandName(*app) + "\"", help};
    }
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&failure) != nullptr) {
        return mismatch(failure.what(), *app);
    }
    return {Error::Code::BadInput, "", failure.what(), help};
}

std::string longNameOf(const std::string& names) {
    const std::size_t dashes = names.find("--");
    return dashes == std::string::npos ? names : names.substr(dashes);
}

/// No value of ours may be empty: a script's variable that is not set must not switch anything off.
DeclaredFlag neverEmpty(CLI::Option* option, const std::string& names) {
    option->check([option, shown = longNameOf(names)](const std::string& typed) {
        if (typed.empty()) {
            const std::string example = exampleOf(*option, shown);
            throw FlagError({Error::Code::BadInput,
                             shown,
                             "has an empty value",
                             example.empty() ? "leave it out, or give its value" : example});
        }
        return std::string();
    });
    return DeclaredFlag(option);
}

}  // namespace

DeclaredFlag& DeclaredFlag::takes(const char* what, std::string_view example) {
    option_->option_text(what);
    if (!example.empty()) {
        option_->default_str(std::string(example));  // the library shows it nowhere
    }
    return *this;
}

DeclaredFlag& DeclaredFlag::oneOf(const std::vector<std::string>& words) {
    // What the library calls the type is shown nowhere else: it holds the words for completion.
    std::string joined;
    for (const std::string& word : words) {
        joined += (joined.empty() ? "" : "|") + word;
    }
    option_->type_name(joined);
    return *this;
}

DeclaredFlag& DeclaredFlag::describe(const std::string& text) {
    option_->description(text);
    return *this;
}

DeclaredFlag& DeclaredFlag::group(const char* name) {
    option_->group(name);
    return *this;
}

DeclaredFlag& DeclaredFlag::required() {
    option_->required();
    return *this;
}

DeclaredFlag& DeclaredFlag::oneEach() {
    option_->allow_extra_args(false);
    return *this;
}

DeclaredFlag& DeclaredFlag::separatedBy(char mark) {
    option_->delimiter(mark);
    return *this;
}

FlagSet FlagSet::command(const char* name, const char* description) const {
    return FlagSet(app_->add_subcommand(name, description));
}

void FlagSet::footer(const std::string& text) const {
    app_->footer(text);
}

void FlagSet::needsCommand() const {
    app_->require_subcommand(1);
}

DeclaredFlag FlagSet::add(const std::string& names,
                          std::string& value,
                          const std::string& text) const {
    return neverEmpty(app_->add_option(names, value, text), names);
}

DeclaredFlag FlagSet::add(const std::string& names,
                          std::optional<std::string>& value,
                          const std::string& text) const {
    return neverEmpty(app_->add_option(names, value, text), names);
}

DeclaredFlag FlagSet::add(const std::string& names,
                          std::vector<std::string>& values,
                          const std::string& text) const {
    return neverEmpty(app_->add_option(names, values, text), names);
}

DeclaredFlag FlagSet::add(const std::string& names, bool& value, const std::string& text) const {
    return DeclaredFlag(app_->add_flag(names, value, text));
}

DeclaredFlag FlagSet::addSwitch(const std::string& names,
                                const std::function<void()>& typed,
                                const std::string& text) const {
    return DeclaredFlag(app_->add_flag_callback(names, typed, text));
}

DeclaredFlag FlagSet::add(const std::string& names,
                          std::int64_t& value,
                          std::pair<std::int64_t, std::int64_t> range) const {
    return addRead(names,
                   [&value, range](const std::string& typed) -> Result<void> {
                       std::int64_t number = 0;
                       const auto end =
                           std::from_chars(typed.data(), typed.data() + typed.size(), number);
                       const bool whole =
                           end.ec == std::errc() && end.ptr == typed.data() + typed.size();
                       if (!whole || number < range.first || number > range.second) {
                           return fail(Error::Code::BadInput,
                                       "",
                                       "must be a whole number from " +
                                           std::to_string(range.first) + " to " +
                                           std::to_string(range.second) + ", not \"" + typed +
                                           "\"");
                       }
                       value = number;
                       return {};
                   })
        .takes("N", std::to_string(range.first));
}

DeclaredFlag FlagSet::addRead(const std::string& names,
                              std::function<Result<void>(const std::string&)> read) const {
    const std::string shown = longNameOf(names);
    const auto take = [read = std::move(read), shown](const std::string& typed) {
        if (Result<void> taken = read(typed); !taken) {
            Error error = std::move(taken).error();
            error.where = error.where.empty() ? shown : error.where;
            throw FlagError(std::move(error));
        }
    };
    return DeclaredFlag(app_->add_option_function<std::string>(names, take)).takes("WORD");
}

DeclaredFlag FlagSet::addWord(const std::string& names,
                              const std::vector<std::string>& known,
                              const std::function<void(std::size_t)>& take) const {
    const auto read = [known, take](const std::string& typed) -> Result<void> {
        if (const auto found = std::ranges::find(known, typed); found != known.end()) {
            take(static_cast<std::size_t>(found - known.begin()));
            return {};
        }
        const std::vector<std::string_view> words(known.begin(), known.end());
        return fail(
            Error::Code::BadInput, "", "cannot be \"" + typed + "\"", suggestName(typed, words));
    };
    return addRead(names, read).oneOf(known);
}

bool FlagSet::isTyped(const std::string& flag) const {
    return app_->get_option(flag)->count() > 0;
}

bool FlagSet::chosen() const {
    return app_->parsed();
}

CommandInfo FlagSet::info() const {
    return infoOf(*app_);
}

CommandLine::CommandLine(const char* program, const char* description, const char* version)
    : app_(std::make_unique<CLI::App>(description)) {
    app_->name(program);
    app_->set_help_flag("-h,--help", "show this help");
    app_->set_version_flag("-V,--version", version, "show the version");
    app_->require_subcommand(1);
    app_->fallthrough();
}

std::vector<std::string> withoutMark(std::vector<std::string> arguments) {
    const auto mark = std::ranges::find(arguments, "--");
    if (mark == arguments.end()) {
        return arguments;
    }
    for (auto word = arguments.erase(mark); word != arguments.end(); ++word) {
        if (word->starts_with('-') && *word != "-") {
            word->insert(0, "./");
        }
    }
    return arguments;
}

CommandLine::~CommandLine() = default;

std::vector<std::string> CommandLine::flagsOf(const std::vector<std::string>& arguments) const {
    std::vector<std::string> typed;
    for (std::size_t at = 0; at < arguments.size(); ++at) {
        std::string word = arguments[at];
        while (const CLI::Option* const option = optionTyped(*chosenCommand(*app_), word)) {
            typed.push_back(option->get_lnames().empty() ? option->get_name()
                                                         : "--" + option->get_lnames().front());
            const bool isWhole = word.starts_with("--") || word.size() == 2;
            const bool isSwitch = option->get_expected_max() == 0;
            at += isWhole && !isSwitch && word.find('=') == std::string::npos ? 1U : 0U;
            word = isWhole || !isSwitch ? "" : "-" + word.substr(2);
        }
    }
    return typed;
}

Result<void> CommandLine::checkMark(const std::vector<std::string>& arguments) const {
    const CLI::App* command = app_.get();
    const auto mark = std::ranges::find(arguments, "--");
    if (mark == arguments.end()) {
        return {};
    }
    for (auto word = arguments.begin(); word != mark; ++word) {
        const CLI::Option* const option = optionTyped(*command, *word);
        const bool isWhole = word->starts_with("--") || word->size() == 2;
        if (option != nullptr && isWhole && option->get_expected_max() > 0 &&
            word->find('=') == std::string::npos && ++word == mark) {
            const std::string& flag = *(word - 1);
            return fail(Error::Code::BadInput,
                        flag,
                        "needs a value in front of --",
                        fabricast::exampleOf(*command, flag));
        }
        const auto inner = command->get_subcommands(
            [&word](const CLI::App* one) { return one->get_name() == *word; });
        command = option == nullptr && !inner.empty() ? inner.front() : command;
    }
    return {};
}

std::string CommandLine::exampleOf(const std::string& flag) const {
    return fabricast::exampleOf(*chosenCommand(*app_), flag);
}

std::string CommandLine::helpOfChosen() const {
    return commandName(*chosenCommand(*app_)) + " --help";
}

Result<std::optional<std::string>> CommandLine::parse(const std::vector<std::string>& arguments) {
    if (arguments.empty()) {
        return helpText(infoOf(*app_));
    }
    try {
        app_->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
        return std::nullopt;
    } catch (const CLI::CallForVersion& version) {
        return version.what() + std::string("\n");
    } catch (const CLI::CallForHelp&) {
        return helpText(infoOf(*chosenCommand(*app_)));
    } catch (const CLI::ParseError& failure) {
        return tl::unexpected(argumentError(*app_, failure, arguments));
    }
}

}  // namespace fabricast
