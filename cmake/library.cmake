# The libraries that a part of the SDK may link. Each has the arguments of find_package() and the name for pkg-config.
set(hearsay_package_OpenSSL::Crypto OpenSSL 3)
set(hearsay_pkg_config_OpenSSL::Crypto libcrypto)
set(hearsay_package_CURL::libcurl CURL 7.87)
set(hearsay_pkg_config_CURL::libcurl libcurl)
set(hearsay_package_SQLite::SQLite3 SQLite3 3.31)
set(hearsay_pkg_config_SQLite::SQLite3 sqlite3)
set(hearsay_package_Threads::Threads Threads)
set(hearsay_pkg_config_Threads::Threads "")

# hearsay_library(part [SHARED] OUTPUT_NAME name [USES part...] FOLDERS folder... HEADERS folder... EXPORTS version_script)
#
# Makes a part of the SDK as one library, Hearsay::<part>, which is shared if SHARED or BUILD_SHARED_LIBS is set. The
# library holds the objects of FOLDERS and of all folders that FOLDERS depend on, except objects that the parts in USES
# already hold. HEADERS are the folders of the part's public headers. On Linux, a shared library exports only the
# symbols that the version script names.
function(hearsay_library part)
  cmake_parse_arguments(arg "SHARED" "OUTPUT_NAME;EXPORTS" "USES;FOLDERS;HEADERS" ${ARGN})
  set(name hearsay_${part})

  set(folders)
  foreach(folder ${arg_FOLDERS})
    string(REPLACE "/" "_" target hearsay_${folder})
    get_target_property(inherited ${target} HEARSAY_FOLDERS)
    list(APPEND folders ${inherited})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set(libraries)  # includes the libraries that the parts in USES link
  foreach(folder ${folders})
    string(REPLACE "/" "_" target hearsay_${folder})
    get_target_property(needed ${target} HEARSAY_LIBRARIES)
    list(APPEND libraries ${needed})
  endforeach()

  foreach(used ${arg_USES})
    get_target_property(taken hearsay_${used} HEARSAY_FOLDERS)
    list(REMOVE_ITEM folders ${taken})
  endforeach()
  set(objects)
  foreach(folder ${folders})
    string(REPLACE "/" "_" target hearsay_${folder})
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL "INTERFACE_LIBRARY")
      list(APPEND objects $<TARGET_OBJECTS:${target}>)
    endif()
  endforeach()
  list(REMOVE_DUPLICATES libraries)
  list(REMOVE_ITEM libraries nlohmann_json::nlohmann_json)  # header-only, and no public header includes it
  foreach(library ${libraries})
    if(NOT DEFINED hearsay_package_${library})
      message(FATAL_ERROR "Hearsay::${part} links ${library}, which cmake/library.cmake does not list")
    endif()
    find_package(${hearsay_package_${library}} REQUIRED)
  endforeach()

  if(arg_SHARED)
    add_library(${name} SHARED ${objects})
  else()
    add_library(${name} ${objects})
  endif()
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
  get_target_property(type ${name} TYPE)
  if(type STREQUAL "SHARED_LIBRARY")
    set(script ${PROJECT_SOURCE_DIR}/${arg_EXPORTS})
    if(APPLE)
      # ld64 (macOS) has no version scripts, so everything stays exported. ld64 refuses undefined symbols by default.
      target_link_options(${name} PRIVATE -Wl,-dead_strip_dylibs)
    else()
      target_link_options(${name} PRIVATE -Wl,--version-script=${script} -Wl,--as-needed)
      if(NOT HEARSAY_SANITIZE)
        target_link_options(${name} PRIVATE -Wl,--no-undefined)  # the program brings the sanitizer's functions
      endif()
      set_target_properties(${name} PROPERTIES LINK_DEPENDS ${script})
    endif()
  endif()
endfunction()
