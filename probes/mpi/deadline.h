#pragma once
#include <string>

namespace fabricast::probe {

/// While one of these lives, the process may not wait longer than so many seconds for other ranks:
/// then it says what it waited for and ends with kEnvironment, upon which mpirun ends the others.
/// A wait inside MPI cannot be called off in any other way. They nest; the innermost counts.
class Deadline {
public:
    Deadline(unsigned seconds, const std::string& waitedFor);
    ~Deadline();
    Deadline(const Deadline&) = delete;
    Deadline& operator=(const Deadline&) = delete;

private:
    std::string outerText_;
    unsigned outerSeconds_ = 0;
};

}  // namespace fabricast::probe
