#pragma once

namespace fabricast::probe {

/// From now on the first Ctrl-C (or SIGTERM) only asks to stop: what was measured is kept. The
/// second ends the process at once.
void catchInterrupts();

/// Whether somebody asked to stop.
bool interrupted();

/// As if somebody had: for a rank that was told by another.
void interrupt();

}  // namespace fabricast::probe
