#include "planner/launch/import_trainers.h"

#include <utility>
#include <vector>

namespace fabricast {

namespace {

/// A dictionary that a program gives to an argument, as the file that it could name. None where the
/// program works it out.
Result<LaunchKeys> dictionaryOf(LaunchKeys& keys, const std::string& argument) {
    LaunchKeys found(keys.source());
    const std::vector<LaunchKey> all = keys.all();
    for (LaunchKey key : all) {
        if (key.path.starts_with(argument + ".")) {
            (void)keys.use(key.path);
            key.path = key.path.substr(argument.size() + 1);
            found.add(std::move(key));
        }
    }
    return !found.all().empty()
               ? Result<LaunchKeys>(std::move(found))
               : Result<LaunchKeys>(keys.refuse(*keys.use(argument),
                                                "is worked out when the program runs, and "
                                                "nothing is run to find it",
                                                "the name of a JSON file, or its keys in {…}"));
}

}  // namespace

Result<LaunchKeys> configOf(LaunchKeys& keys,
                            const std::string& argument,
                            const ImportContext& context) {
    const std::string text = keys.text(argument).value_or("");
    const bool isName = text.starts_with("$") && keys.source().ends_with(".py");
    if (text.starts_with("$(") || isName) {
        return dictionaryOf(keys, argument);
    }
    if (text.starts_with("{")) {
        return readJsonKeys(text, keys.source());
    }
    FABRICAST_ASSIGN(const NamedText named,
                     readNamedText(keys, *keys.find(argument), text, context.read));
    return readJsonKeys(named.text, named.name);
}

}  // namespace fabricast
