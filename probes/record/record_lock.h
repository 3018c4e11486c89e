#pragma once
#include "probes/record/answer.h"

#include <filesystem>
#include <string>
#include <utility>

namespace fabricast::probe {

/// A file that this process alone writes, from now until the lock is gone. The lock lies on the
/// file itself, so that it ends with the process and holds on every host that sees the file; a file
/// that replaces it takes it over.
class RecordLock {
public:
    RecordLock() = default;
    RecordLock(RecordLock&& other) noexcept
        : descriptor_(std::exchange(other.descriptor_, -1)), made_(std::move(other.made_)) {}
    RecordLock& operator=(RecordLock&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        std::swap(made_, other.made_);
        return *this;
    }
    RecordLock(const RecordLock&) = delete;
    RecordLock& operator=(const RecordLock&) = delete;
    ~RecordLock();

    /// Of a regular file; nothing is locked where the path is empty, a pipe or a device. Where
    /// there is none an empty one is made, which is removed again if it stays empty. Never waits:
    /// trouble where another process has the file.
    static Answer<RecordLock> of(const std::filesystem::path& path);
    /// Whether a file that is there could be locked now. Several may ask at once.
    static Done isFree(const std::filesystem::path& path);
    /// Moves to the file that is about to take the place of the locked one.
    void moveTo(int descriptor);

private:
    explicit RecordLock(int descriptor) : descriptor_(descriptor) {}

    int descriptor_ = -1;
    std::string made_;  ///< the file's path where it was not there before
};

}  // namespace fabricast::probe
