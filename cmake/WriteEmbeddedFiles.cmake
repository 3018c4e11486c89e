# cmake -D FOLDER=… -D LIST=… -D OUTPUT=… -D NAME=… -D HEADER=… -P WriteEmbeddedFiles.cmake
# Writes a C++ file with the function NAME of HEADER: the text of every file in LIST, under its path within FOLDER, sorted.
file(STRINGS "${LIST}" files)
list(SORT files)
list(LENGTH files count)
set(entries "")
foreach(path IN LISTS files)
  file(READ "${path}" text)
  file(RELATIVE_PATH name "${FOLDER}" "${path}")
  string(APPEND entries "    EmbeddedFile{\"${name}\", R\"embedded(${text})embedded\"sv},\n")
endforeach()
file(
  WRITE "${OUTPUT}"
  "#include \"${HEADER}\"\n\n#include <array>\n\n"
  "namespace fabricast {\nnamespace {\n\nusing namespace std::string_view_literals;\n\n"
  "constexpr std::array<EmbeddedFile, ${count}> kFiles = {\n${entries}};\n\n}  // namespace\n\n"
  "std::span<const EmbeddedFile> ${NAME}() {\n    return kFiles;\n}\n\n}  // namespace fabricast\n")
