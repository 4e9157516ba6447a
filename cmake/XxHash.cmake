# xxHash, of which the header alone is compiled in; it comes without a CMake package of its own.

find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
mark_as_advanced(XXHASH_INCLUDE_DIR)

add_library(XxHash::XxHash INTERFACE IMPORTED)
set_target_properties(XxHash::XxHash PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${XXHASH_INCLUDE_DIR}")
