#include "cli/command.h"

#include "planner/load/measured_notes.h"

#include <algorithm>

namespace fabricast {

void Answer::leanOn(std::span<const std::string> notes) {
    for (const std::string& note : notes) {
        const bool isNew = std::ranges::find(leansOn, note) == leansOn.end();
        if (isNew && note.find(kMeasuredNote) != std::string::npos) {
            leansOn.push_back(note);
        }
    }
}

void Answer::addUnsaid() {
    for (const std::string& note : leansOn) {
        const std::size_t begin = note.find(kMeasuredNote) + kMeasuredNote.size();
        if (text.find(note.substr(begin)) == std::string::npos) {
            remarks.push_back(note);
        }
    }
}

}  // namespace fabricast
