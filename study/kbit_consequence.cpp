#include "study/kbit_consequence.h"

#include "planner/base/quantity_text.h"
#include "planner/load/kbit_preparation_note.h"
#include "planner/memory/stage_memory.h"
#include "planner/report/memory_report.h"

#include <algorithm>

namespace fabricast {

void addKbitConsequence(const Scenario& scenario,
                        Verdict verdict,
                        std::vector<std::string>& notes) {
    const auto note = std::ranges::find(notes, kbitNote());
    if (note == notes.end()) {
        return;
    }
    Scenario prepared = scenario;
    prepared.settings.lora.preparedForKbit = true;
    const Result<MemoryBreakdown> memory = memoryOfFullestStage(prepared);
    if (memory && memory->verdict > verdict) {
        *note = kbitNote(": a program that calls it takes " +
                         shortText(memory->peak.value, UnitStyle::Binary) + " and " +
                         (memory->verdict == Verdict::Unlikely ? "is " : "") +
                         std::string(fitText(memory->verdict)));
    }
}

}  // namespace fabricast
