# Compiles every header alone, so that each brings what it needs; those aside that a source of the
# same name includes first.
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
set(header_sources "")
foreach(header IN LISTS headers)
  string(REGEX REPLACE "\\.h$" ".cpp" twin "${PROJECT_SOURCE_DIR}/${header}")
  if(EXISTS "${twin}")
    file(STRINGS "${twin}" includes REGEX "^#include" LIMIT_COUNT 1)
    if(includes STREQUAL "#include \"${header}\"")
      continue()
    endif()
  endif()
  string(REPLACE "/" "." name "${header}")
  set(source "${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "#include \"@header@\"\n" @ONLY)
  list(APPEND header_sources "${source}")
endforeach()
add_library(fabricast_headers OBJECT ${header_sources})
target_link_libraries(fabricast_headers PRIVATE fabricast_options tl::expected nlohmann_json::nlohmann_json
                                                CLI11::CLI11 fmt::fmt ${built_rooms})
# Nothing of them runs.
target_compile_options(fabricast_headers PRIVATE -O0 -g0)
