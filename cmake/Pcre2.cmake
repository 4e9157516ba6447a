# Finds PCRE2 for 8-bit code units. Debian's package has no CMake package.

find_path(PCRE2_INCLUDE_DIR pcre2.h REQUIRED)
find_library(PCRE2_LIBRARY pcre2-8 REQUIRED)
mark_as_advanced(PCRE2_INCLUDE_DIR PCRE2_LIBRARY)

add_library(Pcre2::Pcre2 UNKNOWN IMPORTED)
set_target_properties(Pcre2::Pcre2 PROPERTIES
  IMPORTED_LOCATION "${PCRE2_LIBRARY}"
  INTERFACE_INCLUDE_DIRECTORIES "${PCRE2_INCLUDE_DIR}")
