#include "cli/measured_remarks.h"

#include "planner/load/measured_notes.h"

namespace fabricast {

void remarkMeasurements(std::span<const std::string> notes, Format format, Answer& answer) {
    for (const std::string& note : notes) {
        if (format == Format::Csv && note.find(kMeasuredNote) != std::string::npos) {
            answer.remarks.push_back(note);
        }
    }
}

}  // namespace fabricast
