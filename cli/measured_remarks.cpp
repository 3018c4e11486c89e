#include "cli/measured_remarks.h"

#include "planner/load/measured_notes.h"

#include <algorithm>

namespace fabricast {

void remarkMeasurements(std::span<const std::string> notes, Answer& answer) {
    for (const std::string& note : notes) {
        const bool isNew = std::ranges::find(answer.leansOn, note) == answer.leansOn.end();
        if (isNew && note.find(kMeasuredNote) != std::string::npos) {
            answer.leansOn.push_back(note);
        }
    }
}

void addUnsaidMeasurements(Answer& answer) {
    for (const std::string& note : answer.leansOn) {
        const std::size_t begin = note.find(kMeasuredNote) + kMeasuredNote.size();
        if (answer.text.find(note.substr(begin)) == std::string::npos) {
            answer.remarks.push_back(note);
        }
    }
}

}  // namespace fabricast
