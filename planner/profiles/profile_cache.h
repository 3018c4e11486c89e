#pragma once
#include "planner/base/result.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <typeindex>
#include <utility>

namespace fabricast {

/// Profiles that were read before, by type and by the file that they come from: a file is parsed
/// once, when it is asked for. What cannot be read is read again, as its error names who asked.
/// Several threads may share one.
///     return cache.of<GpuSpec>(file.source, [&] { return readGpu(file); });
class ProfileCache {
public:
    template <class T, class Read>
    Result<T> of(const std::string& source, const Read& read) {
        const Key key{typeid(T), source};
        if (const std::shared_ptr<const void> known = find(key)) {
            return *static_cast<const T*>(known.get());
        }
        Result<T> made = read();
        if (made) {
            keep(key, std::make_shared<const T>(*made));
        }
        return made;
    }

private:
    using Key = std::pair<std::type_index, std::string>;

    std::shared_ptr<const void> find(const Key& key) {
        const std::lock_guard lock(mutex_);
        const auto found = profiles_.find(key);
        return found == profiles_.end() ? nullptr : found->second;
    }
    void keep(const Key& key, std::shared_ptr<const void> profile) {
        const std::lock_guard lock(mutex_);
        profiles_.emplace(key, std::move(profile));
    }

    std::mutex mutex_;
    std::map<Key, std::shared_ptr<const void>> profiles_;
};

}  // namespace fabricast
