#include "cli/command.h"
#include "manual/help_text.h"
#include "planner/base/nearest_name.h"
#include "study/reference_words.h"

#include <memory>
#include <string>
#include <string_view>

namespace fabricast {
namespace {

Result<Answer> explainTopic(const FlagSet& program, const std::string& name) {
    const CommandInfo all = program.info();
    std::vector<std::string> known;
    for (const HelpTopic& topic : helpTopics()) {
        if (topic.name == name) {
            return Answer{.text = topic.text()};
        }
        known.emplace_back(topic.name);
    }
    for (const CommandInfo& command : all.commands) {
        if (command.lastName() == name) {
            return Answer{.text = helpText(command)};
        }
        known.push_back(command.lastName());
    }
    const std::vector<std::string_view> views(known.begin(), known.end());
    return fail(
        Error::Code::NotFound, "help", "unknown topic \"" + name + "\"", suggestName(name, views));
}

std::string aboutHelp() {
    std::string text = "Help for a command or a topic";
    std::string_view before = ": ";
    for (const HelpTopic& topic : helpTopics()) {
        text.append(before).append(topic.name);
        before = ", ";
    }
    return text;
}

}  // namespace

Command helpCommand(const FlagSet& program, const GlobalOptions& /*options*/) {
    const FlagSet app = program.command("help", aboutHelp().c_str());
    app.footer("");
    const auto topic = std::make_shared<std::string>();
    app.add("topic", *topic, "a command or a topic").takes("[TOPIC]");
    return {app,
            [program, topic]() -> Result<Answer> {
                return topic->empty() ? Answer{.text = helpText(program.info())}
                                      : explainTopic(program, *topic);
            },
            false,
            kTextAlone};
}

}  // namespace fabricast
