#pragma once
#include <csignal>

namespace fabricast {

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
