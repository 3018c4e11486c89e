#pragma once
#include "study/question.h"

#include <string>
#include <string_view>

namespace fabricast {

/// Whether the value of a key may be the name of a file: that of the model, the cluster, prices or
/// the site.
bool mayNameFile(std::string_view key);

/// What the file of a name holds, seen from a folder; empty where it is the name of no file.
std::string textBehind(const std::string& name, const std::string& folder, const KnownTexts& known);

/// The scenario as it is written, and the text of each file that it names.
std::string textWithFiles(const Question& question);

}  // namespace fabricast
