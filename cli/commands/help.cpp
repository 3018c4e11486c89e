#include "cli/command.h"
#include "planner/base/nearest_name.h"

#include <array>
#include <memory>
#include <string_view>

namespace fabricast {
namespace {

struct Topic {
    std::string_view name;
    std::string_view text;
};

constexpr std::string_view kExitCodes =
    "0  the question is answered, and what was asked for holds\n"
    "1  the answer is no: it does not fit (--no-fail makes this 0)\n"
    "2  bad input: a flag, a file or a name; the message says where and what to type\n"
    "4  the environment: a file cannot be written, no memory\n"
    "5  a bug in fabricast\n";

constexpr std::array kTopics = {Topic{"exit-codes", kExitCodes}};

/// Of this very app, whichever subcommand is being run.
std::string helpOf(const CLI::App& app) {
    const CLI::App* parent = app.get_parent();
    const std::string name =
        parent == nullptr ? app.get_name() : parent->get_name() + " " + app.get_name();
    return app.get_formatter()->make_help(&app, name, CLI::AppFormatMode::Normal);
}

Result<Answer> explainTopic(const CLI::App& program, const std::string& name) {
    std::vector<std::string_view> known;
    for (const Topic& topic : kTopics) {
        if (topic.name == name) {
            return Answer{.text = std::string(topic.text)};
        }
        known.push_back(topic.name);
    }
    for (const CLI::App* command : program.get_subcommands({})) {
        if (command->get_name() == name) {
            return Answer{.text = helpOf(*command)};
        }
        known.push_back(command->get_name());
    }
    return fail(Error::Code::NotFound,
                "help",
                "there is no topic \"" + name + "\"",
                suggestName(name, known));
}

}  // namespace

Command helpCommand(CLI::App& program, const GlobalOptions& /*options*/) {
    CLI::App* app = program.add_subcommand("help", "A command or a topic: exit-codes");
    const auto topic = std::make_shared<std::string>();
    app->add_option("topic", *topic, "a command, or exit-codes")->option_text("TOPIC");
    return {app, [&program, topic]() -> Result<Answer> {
                return topic->empty() ? Answer{.text = helpOf(program)}
                                      : explainTopic(program, *topic);
            }};
}

}  // namespace fabricast
