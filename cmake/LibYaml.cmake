# Finds libyaml, the C parser of PyYAML, which has no CMake package.

find_path(LIBYAML_INCLUDE_DIR yaml.h REQUIRED)
find_library(LIBYAML_LIBRARY yaml REQUIRED)
mark_as_advanced(LIBYAML_INCLUDE_DIR LIBYAML_LIBRARY)

add_library(LibYaml::LibYaml UNKNOWN IMPORTED)
set_target_properties(LibYaml::LibYaml PROPERTIES
  IMPORTED_LOCATION "${LIBYAML_LIBRARY}"
  INTERFACE_INCLUDE_DIRECTORIES "${LIBYAML_INCLUDE_DIR}")
