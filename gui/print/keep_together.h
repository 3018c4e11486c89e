#pragma once

class QTextDocument;

namespace fabricast {

/// Headings at the end of a page begin the next one, where what they head is, and the last lines
/// take what is above them along. All of the document is laid out then.
void keepTogether(QTextDocument& document);

}  // namespace fabricast
