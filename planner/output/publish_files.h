#pragma once
#include <csignal>
#include <functional>
#include <span>
#include <string>

namespace fabricast {

/// A file of a folder, and what it is to contain.
struct FolderText {
    std::string path;  ///< within the folder: "gpus/lab-rank.json"
    std::string text;
};

/// What becomes of a link in the place of a file.
enum class FolderLinks {
    Replaced,  ///< by the file: somebody else may have put it there, and chose where it leads
    Followed   ///< what it leads to is replaced, as replaceFile does
};

/// Writes several files of a folder, all or none. They are complete in a folder of their own,
/// within the first, and `accept` has seen that one, before any of them takes the place of an older
/// file; it returns why it refuses, or nothing. Each takes over the owner, group and mode of the
/// older file; one that cannot, or that has other names, is written over that file's bytes.
/// Whatever fails, the folder is as it was. Returns why it could not, or nothing.
std::string publishFiles(std::span<const FolderText> files,
                         const std::string& folder,
                         FolderLinks links,
                         const std::function<std::string(const std::string& staged)>& accept);

/// While it lives, the signals that end a process wait, so that no file is left half done. Only of
/// the thread that made it: the other threads of a program take no signals.
class SignalsHeld {
public:
    SignalsHeld() {
        sigset_t all;
        (void)sigfillset(&all);
        (void)::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    SignalsHeld(const SignalsHeld&) = delete;
    SignalsHeld& operator=(const SignalsHeld&) = delete;
    ~SignalsHeld() { (void)::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_{};
};

}  // namespace fabricast
