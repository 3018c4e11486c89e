#pragma once
#include <span>
#include <string>
#include <string_view>

namespace fabricast {

/// What `fabricast help TOPIC` explains beside the commands.
struct HelpTopic {
    std::string_view name;
    std::string (*text)();
};
/// By name.
std::span<const HelpTopic> helpTopics();

/// What an exit status means, a line each.
std::string exitCodesTopic();

}  // namespace fabricast
