# Compiles every header before anything that it does not include itself, so that each brings what it
# needs; those aside that a source includes first.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
     "${PROJECT_SOURCE_DIR}/planner/*.h" "${PROJECT_SOURCE_DIR}/simulator/*.h"
     "${PROJECT_SOURCE_DIR}/machine/*.h" "${PROJECT_SOURCE_DIR}/manual/*.h"
     "${PROJECT_SOURCE_DIR}/flags/*.h" "${PROJECT_SOURCE_DIR}/cli/*.h")
# Of the probes, those that can be built here.
set(built_rooms "")
foreach(room record nvml tuner launch collective host fit cpu mpi cuda nccl)
  if(TARGET fabricast_probes_${room})
    file(GLOB room_headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/probes/${room}/*.h")
    list(APPEND headers ${room_headers})
    list(APPEND built_rooms fabricast_probes_${room})
  endif()
endforeach()
file(GLOB_RECURSE sources CONFIGURE_DEPENDS
     "${PROJECT_SOURCE_DIR}/planner/*.cpp" "${PROJECT_SOURCE_DIR}/simulator/*.cpp"
     "${PROJECT_SOURCE_DIR}/machine/*.cpp" "${PROJECT_SOURCE_DIR}/manual/*.cpp" "${PROJECT_SOURCE_DIR}/study/*.cpp"
     "${PROJECT_SOURCE_DIR}/flags/*.cpp" "${PROJECT_SOURCE_DIR}/cli/*.cpp" "${PROJECT_SOURCE_DIR}/probes/*.cpp")
foreach(source IN LISTS sources)
  file(STRINGS "${source}" first REGEX "^#include" LIMIT_COUNT 1)
  if(first MATCHES "^#include \"([^\"]*)\"")
    set(first_${CMAKE_MATCH_1} TRUE)
  endif()
endforeach()
set(alone "")
foreach(header IN LISTS headers)
  if(NOT first_${header})
    list(APPEND alone "${header}")
  endif()
endforeach()
# A header needs no source of its own where another includes it: it comes before that one in its source,
# which sees nothing more for it. Each has one such before it, which may have one in turn.
foreach(header IN LISTS alone)
  string(MAKE_C_IDENTIFIER "${header}" id)
  file(STRINGS "${PROJECT_SOURCE_DIR}/${header}" lines REGEX "^#include \"")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^#include \"([^\"]*)\".*" "\\1" included "${line}")
    string(MAKE_C_IDENTIFIER "${included}" included_id)
    if(included IN_LIST alone AND NOT placed_${included_id})
      set(placed_${included_id} TRUE)
      set(before_${id} "${included}")
      # Where it includes that one no more, they part.
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${header}")
      break()
    endif()
  endforeach()
endforeach()
set(header_sources "")
foreach(header IN LISTS alone)
  string(MAKE_C_IDENTIFIER "${header}" id)
  if(placed_${id})
    continue()
  endif()
  string(REPLACE "/" "." name "${header}")
  set(source "${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.cpp")
  set(content "")
  while(header)
    string(PREPEND content "#include \"${header}\"\n")
    string(MAKE_C_IDENTIFIER "${header}" id)
    set(header "${before_${id}}")
  endwhile()
  file(CONFIGURE OUTPUT "${source}" CONTENT "${content}" @ONLY)
  list(APPEND header_sources "${source}")
endforeach()
add_library(fabricast_headers OBJECT ${header_sources})
target_link_libraries(fabricast_headers PRIVATE fabricast_options tl::expected nlohmann_json::nlohmann_json
                                                CLI11::CLI11 fmt::fmt ${built_rooms})
# Nothing of them runs.
target_compile_options(fabricast_headers PRIVATE -O0 -g0)
