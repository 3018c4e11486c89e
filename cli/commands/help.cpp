#include "cli/command.h"
#include "cli/help_text.h"
#include "planner/base/nearest_name.h"
#include "planner/io/layout_json.h"
#include "planner/io/settings_json.h"
#include "planner/report/table.h"
#include "planner/stack/stack.h"

#include <array>
#include <memory>
#include <string_view>

namespace fabricast {
namespace {

struct Topic {
    std::string_view name;
    std::string (*text)();
};

std::string exitCodesTopic() {
    return "0  the question is answered, and what was asked for holds\n"
           "1  the answer is no: it does not fit (--no-fail makes this 0)\n"
           "2  bad input: a flag, a file or a name; the message says where and what to type\n"
           "4  the environment: a file cannot be written, no memory\n"
           "5  a bug in fabricast\n";
}

std::string settingsTopic() {
    Table table{{{"--set PATH"}, {"values"}}, {}};
    for (const SettingHelp& setting : describeSettings()) {
        table.rows.push_back({setting.path, setting.values});
    }
    return alignedText(table);
}

std::string layoutTopic() {
    Table table{{{"--layout KEY"}, {"values"}}, {}};
    for (const SettingHelp& key : describeLayout()) {
        table.rows.push_back({key.path, key.values});
    }
    return alignedText(table) +
           "What is left out follows from the rest, from the stack, or is 1.\n";
}

std::string stacksTopic() {
    Table table{{{"--stack NAME"}, {"what"}, {""}}, {}};
    for (const Stack& stack : allStacks()) {
        table.rows.push_back(
            {std::string(stack.name), std::string(stack.title), std::string(stack.description)});
    }
    return alignedText(table);
}

constexpr std::array kTopics = {Topic{"exit-codes", &exitCodesTopic},
                                Topic{"layout", &layoutTopic},
                                Topic{"settings", &settingsTopic},
                                Topic{"stacks", &stacksTopic}};

Result<Answer> explainTopic(const CLI::App& program, const std::string& name) {
    std::vector<std::string_view> known;
    for (const Topic& topic : kTopics) {
        if (topic.name == name) {
            return Answer{.text = topic.text()};
        }
        known.push_back(topic.name);
    }
    for (const CLI::App* command : program.get_subcommands({})) {
        if (command->get_name() == name) {
            return Answer{.text = helpText(*command)};
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
    CLI::App* app = program.add_subcommand(
        "help", "A command, or a topic: exit-codes, layout, settings, stacks");
    app->footer("");
    const auto topic = std::make_shared<std::string>();
    app->add_option("topic", *topic, "a command or a topic")->option_text("[TOPIC]");
    return {app, [&program, topic]() -> Result<Answer> {
                return topic->empty() ? Answer{.text = helpText(program)}
                                      : explainTopic(program, *topic);
            }};
}

}  // namespace fabricast
