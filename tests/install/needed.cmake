# Checks which shared libraries PROGRAM loads directly (DT_NEEDED). A client may load libcurl, libsqlite3, libcrypto,
# and the runtimes of C, C++ and sanitizers. Any other library is an error.
execute_process(COMMAND ${READELF} -d ${PROGRAM} OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "NEEDED[^\n]*\\[[^]]*\\]" lines "${dynamic}")
if(NOT lines)
  message(FATAL_ERROR "${READELF} shows no library of ${PROGRAM}")
endif()
foreach(line ${lines})
  string(REGEX REPLACE ".*\\[(.*)\\]" "\\1" library "${line}")
  if(NOT library MATCHES "^(libcurl|libsqlite3|libcrypto|libstdc\\+\\+|libm|libgcc_s|libc|ld-linux[-a-z0-9_]*|lib[a-z]+san)\\.so")
    message(FATAL_ERROR "${PROGRAM} needs ${library}, which a client must not")
  endif()
endforeach()
