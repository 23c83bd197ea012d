# The libraries that a part of the SDK may link: how CMake finds each, and its name for pkg-config.
set(hearsay_package_OpenSSL::Crypto OpenSSL 3)
set(hearsay_pkg_config_OpenSSL::Crypto libcrypto)
set(hearsay_package_CURL::libcurl CURL 7.87)
set(hearsay_pkg_config_CURL::libcurl libcurl)
set(hearsay_package_SQLite::SQLite3 SQLite3 3.31)
set(hearsay_pkg_config_SQLite::SQLite3 sqlite3)
set(hearsay_package_Threads::Threads Threads)
set(hearsay_pkg_config_Threads::Threads "")

# hearsay_library(part OUTPUT_NAME name [USES part...] FOLDERS folder... HEADERS folder... EXPORTS version_script)
#
# A part of the SDK as one library, Hearsay::<part>, static or shared as BUILD_SHARED_LIBS says: the objects of the
# folders, and of all that these depend on, but for what is in the parts of USES. HEADERS are the folders of its public
# headers. A shared library exports what the version script says.
function(hearsay_library part)
  cmake_parse_arguments(arg "" "OUTPUT_NAME;EXPORTS" "USES;FOLDERS;HEADERS" ${ARGN})
  set(name hearsay_${part})

  set(folders)
  foreach(folder ${arg_FOLDERS})
    string(REPLACE "/" "_" target hearsay_${folder})
    get_target_property(inherited ${target} HEARSAY_FOLDERS)
    list(APPEND folders ${inherited})
  endforeach()
  foreach(used ${arg_USES})
    get_target_property(taken hearsay_${used} HEARSAY_FOLDERS)
    list(REMOVE_ITEM folders ${taken})
  endforeach()
  list(REMOVE_DUPLICATES folders)

  set(objects)
  set(libraries)
  foreach(folder ${folders})
    string(REPLACE "/" "_" target hearsay_${folder})
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL "INTERFACE_LIBRARY")
      list(APPEND objects $<TARGET_OBJECTS:${target}>)
    endif()
    get_target_property(needed ${target} HEARSAY_LIBRARIES)
    list(APPEND libraries ${needed})
  endforeach()
  list(REMOVE_DUPLICATES libraries)
  list(REMOVE_ITEM libraries nlohmann_json::nlohmann_json)  # headers, which no public header includes
  foreach(library ${libraries})
    if(NOT DEFINED hearsay_package_${library})
      message(FATAL_ERROR "Hearsay::${part} links ${library}, which cmake/library.cmake does not list")
    endif()
    find_package(${hearsay_package_${library}} REQUIRED)
  endforeach()

  add_library(${name} ${objects})
  add_library(Hearsay::${part} ALIAS ${name})
  target_compile_features(${name} PUBLIC cxx_std_20)
  foreach(headers ${arg_HEADERS})
    target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/${headers}>)
  endforeach()
  foreach(used ${arg_USES})
    target_link_libraries(${name} PUBLIC hearsay_${used})
  endforeach()
  target_link_libraries(${name} PRIVATE ${libraries})
  set_target_properties(${name} PROPERTIES
    EXPORT_NAME ${part} OUTPUT_NAME ${arg_OUTPUT_NAME} LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
    HEARSAY_FOLDERS "${folders}" HEARSAY_LIBRARIES "${libraries}" HEARSAY_HEADERS "${arg_HEADERS}"
    HEARSAY_USES "${arg_USES}")
  if(BUILD_SHARED_LIBS)
    set(script ${PROJECT_SOURCE_DIR}/${arg_EXPORTS})
    target_link_options(${name} PRIVATE -Wl,--version-script=${script} -Wl,--no-undefined -Wl,--as-needed)
    set_target_properties(${name} PROPERTIES LINK_DEPENDS ${script})
  endif()
endfunction()
