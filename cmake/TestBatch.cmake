# cmake -DOUTPUT=<file> "-DFILES=<file>;..." -P TestBatch.cmake writes a source that compiles several test files as one.
#
# Each file is included in a namespace of its name, since test files use the same names. All headers come first, outside
# of the namespaces: their guards leave nothing of them for the files that include them again.
set(headers "")
set(tests "")
foreach(file IN LISTS FILES)
  get_filename_component(folder "${file}" DIRECTORY)
  get_filename_component(name "${file}" NAME_WE)
  file(STRINGS "${file}" includes REGEX "^#include [<\"][^.>\"]*(\\.h)?[>\"]")
  foreach(include IN LISTS includes)
    if(include MATCHES "\"(.+)\"")
      set(header "${folder}/${CMAKE_MATCH_1}")
      if(EXISTS "${header}")
        set(include "#include \"${header}\"")
      endif()
    endif()
    list(APPEND headers "${include}")
  endforeach()
  string(APPEND tests "namespace ${name} {\n#include \"${file}\"\n}\n")
endforeach()
list(REMOVE_DUPLICATES headers)
list(JOIN headers "\n" headers)
file(WRITE "${OUTPUT}" "${headers}\n${tests}")
