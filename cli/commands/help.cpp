#include "cli/command.h"
#include "planner/base/nearest_name.h"
#include "planner/report/table.h"
#include "planner/request/layout_json.h"
#include "planner/request/settings_json.h"
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
    return "0  success: the layout fits, the target is reached\n"
           "1  it does not fit, or a target is missed (0 with --no-fail)\n"
           "2  bad input: a flag, a file or a name; the message has the position and a hint\n"
           "4  environment: a file cannot be written, out of memory\n"
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
    return alignedText(table) + "Missing keys follow from the others, from the stack, or are 1.\n";
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

Result<Answer> explainTopic(const FlagSet& program, const std::string& name) {
    const std::vector<std::pair<std::string, FlagSet>> commands = program.commands();
    std::vector<std::string_view> known;
    for (const Topic& topic : kTopics) {
        if (topic.name == name) {
            return Answer{.text = topic.text()};
        }
        known.push_back(topic.name);
    }
    for (const auto& [command, flags] : commands) {
        if (command == name) {
            return Answer{.text = flags.help()};
        }
        known.push_back(command);
    }
    return fail(
        Error::Code::NotFound, "help", "unknown topic \"" + name + "\"", suggestName(name, known));
}

}  // namespace

Command helpCommand(const FlagSet& program, const GlobalOptions& /*options*/) {
    const FlagSet app = program.command(
        "help", "Help for a command or a topic: exit-codes, layout, settings, stacks");
    app.footer("");
    const auto topic = std::make_shared<std::string>();
    app.add("topic", *topic, "a command or a topic").takes("[TOPIC]");
    return {app, [program, topic]() -> Result<Answer> {
                return topic->empty() ? Answer{.text = program.help()}
                                      : explainTopic(program, *topic);
            }};
}

}  // namespace fabricast
