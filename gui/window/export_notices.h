#pragma once

namespace fabricast {

class NoticeBar;
class StudyExports;

/// Says what is being written, and how that ended.
void sayExports(StudyExports& exports, NoticeBar& notice);

}  // namespace fabricast
