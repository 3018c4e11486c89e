#include "study/change_offers.h"

#include <algorithm>
#include <utility>

namespace fabricast::offers {

Edit setting(std::string path, std::string value) {
    return {std::move(path), std::move(value), "--set"};
}
Edit layoutKey(std::string_view key, std::string value) {
    return {"layout." + std::string(key), std::move(value), "--layout"};
}
Edit layoutKey(std::string_view key, std::int64_t value) {
    return layoutKey(key, std::to_string(value));
}

bool has(const ChangeSubject& subject, std::string_view stack) {
    return std::ranges::find(subject.stacks, stack) != subject.stacks.end();
}
bool isSearch(const ChangeSubject& subject) {
    return subject.rules != nullptr;
}
bool isMegatron(const ChangeSubject& subject) {
    return isSearch(subject) ? has(subject, "megatron")
                             : subject.now.settings.engine == Engine::Megatron;
}

/// The edits, with the size of shard groups open again where the question says it.
Edits withOpenShards(const ChangeSubject& subject, Edits edits) {
    for (const char* const key : {"shard_size", "copies"}) {
        if (says(subject.question, std::string("layout.") + key)) {
            edits.push_back(layoutKey(key, "null"));
        }
    }
    return edits;
}

}  // namespace fabricast::offers
