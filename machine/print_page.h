#pragma once
#include "planner/base/result.h"

#include <optional>
#include <stop_token>
#include <string>

namespace fabricast {

/// A browser on PATH that prints pages without a screen: chromium, Chrome or Edge.
std::optional<std::string> findBrowser();

/// An HTML page as PDF, by such a browser. An error says what to install where there is none, or
/// what the browser ended with. `stop` ends the browser at once.
Result<std::string> printedPage(const std::string& page, const std::stop_token& stop);

}  // namespace fabricast
