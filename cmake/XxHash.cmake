# Finds xxHash, which is used as a header-only library. It has no CMake package.

find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
mark_as_advanced(XXHASH_INCLUDE_DIR)

add_library(XxHash::XxHash INTERFACE IMPORTED)
set_target_properties(XxHash::XxHash PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${XXHASH_INCLUDE_DIR}")
