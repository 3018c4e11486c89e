#pragma once
#include <string>
#include <utility>
#include <variant>

namespace fabricast {

/// Why a file could not be locked.
struct LockTrouble {
    bool taken = false;  ///< another process, or another part of this one, has it
    std::string why{};   ///< without the path
};

/// A file that this process alone writes, from now until the lock is gone. The lock lies on the
/// file itself, so that it ends with the process and holds on every host that sees the file; a file
/// that replaces it takes it over.
///     std::variant<FileLock, LockTrouble> lock = FileLock::of("points.jsonl");
///     replaceFile(path, text, [&](int file) { std::get<FileLock>(lock).moveTo(file); });
class FileLock {
public:
    FileLock() = default;
    FileLock(FileLock&& other) noexcept
        : descriptor_(std::exchange(other.descriptor_, -1)), made_(std::move(other.made_)) {}
    FileLock& operator=(FileLock&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        std::swap(made_, other.made_);
        return *this;
    }
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;
    ~FileLock();

    /// Of a regular file; nothing is locked where the path is empty, a pipe or a device. Where
    /// there is none an empty one is made, which is removed again if it stays empty. Never waits.
    static std::variant<FileLock, LockTrouble> of(const std::string& path);
    /// Why a file that is there could not be locked now. Several may ask at once.
    static LockTrouble nowOf(const std::string& path);
    /// Moves to the file that is about to take the place of the locked one.
    void moveTo(int descriptor);

private:
    explicit FileLock(int descriptor) : descriptor_(descriptor) {}

    int descriptor_ = -1;
    std::string made_;  ///< the file's path where it was not there before
};

}  // namespace fabricast
