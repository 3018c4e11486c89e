# fabricast_embed_profiles(target): compiles every JSON file of hardware_profiles, and its tables of launch keys, into `target`, as
# declared in planner/profiles/embedded_profiles.h. A changed, added or removed file rebuilds it.
function(fabricast_embed_profiles target)
  set(folder "${PROJECT_SOURCE_DIR}/hardware_profiles")
  set(source "${CMAKE_CURRENT_BINARY_DIR}/embedded_profiles.cpp")
  set(script "${PROJECT_SOURCE_DIR}/cmake/WriteEmbeddedProfiles.cmake")
  file(GLOB_RECURSE profiles CONFIGURE_DEPENDS "${folder}/*.json" "${folder}/launch/*.csv")
  # The list is a file so that removing a profile is a change too.
  set(list "${CMAKE_CURRENT_BINARY_DIR}/embedded_profiles.txt")
  list(JOIN profiles "\n" lines)
  file(CONFIGURE OUTPUT "${list}" CONTENT "@lines@\n" @ONLY)
  add_custom_command(
    OUTPUT "${source}"
    COMMAND "${CMAKE_COMMAND}" -D "FOLDER=${folder}" -D "LIST=${list}" -D "OUTPUT=${source}" -P
            "${script}"
    DEPENDS ${profiles} "${list}" "${script}"
    COMMENT "Embedding hardware_profiles"
    VERBATIM)
  target_sources(${target} PRIVATE "${source}")
endfunction()
