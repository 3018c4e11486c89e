# fabricast_embed(target NAME name HEADER header FOLDER folder FILES file...): compiles the text of files into `target`, each under
# its path within the folder, as the function `name` that `header` declares. A changed file rebuilds it.
function(fabricast_embed target)
  cmake_parse_arguments(EMBED "" "NAME;HEADER;FOLDER" "FILES" ${ARGN})
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${EMBED_NAME}.cpp")
  set(script "${PROJECT_SOURCE_DIR}/cmake/WriteEmbeddedFiles.cmake")
  # The list is a file so that removing one is a change too.
  set(list "${CMAKE_CURRENT_BINARY_DIR}/${EMBED_NAME}.txt")
  list(JOIN EMBED_FILES "\n" lines)
  file(CONFIGURE OUTPUT "${list}" CONTENT "@lines@\n" @ONLY)
  add_custom_command(
    OUTPUT "${source}"
    COMMAND "${CMAKE_COMMAND}" -D "FOLDER=${EMBED_FOLDER}" -D "LIST=${list}" -D "OUTPUT=${source}" -D
            "NAME=${EMBED_NAME}" -D "HEADER=${EMBED_HEADER}" -P "${script}"
    DEPENDS ${EMBED_FILES} "${list}" "${script}"
    COMMENT "Writing ${EMBED_NAME}.cpp"
    VERBATIM)
  target_sources(${target} PRIVATE "${source}")
endfunction()

# fabricast_embed_profiles(target): every JSON file of hardware_profiles, and its tables of launch keys.
function(fabricast_embed_profiles target)
  set(folder "${PROJECT_SOURCE_DIR}/hardware_profiles")
  file(GLOB_RECURSE profiles CONFIGURE_DEPENDS "${folder}/*.json" "${folder}/launch/*.csv")
  fabricast_embed(${target} NAME embeddedProfiles HEADER planner/profiles/profile_list.h FOLDER "${folder}"
                  FILES ${profiles})
endfunction()
