# Says what `cmake --install BUILD [--component runtime|development|tools|aggregator]` installs: the SDK for CMake
# (find_package(Hearsay)) and pkg-config, the tools, the daemon.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(hearsay_config_directory ${CMAKE_INSTALL_LIBDIR}/cmake/Hearsay)

# hearsay_install_library(part DESCRIPTION text)
function(hearsay_install_library part)
  cmake_parse_arguments(arg "" "DESCRIPTION" "" ${ARGN})
  set(target hearsay_${part})
  target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  install(TARGETS ${target} EXPORT hearsay-${part}
    LIBRARY COMPONENT runtime NAMELINK_COMPONENT development
    ARCHIVE COMPONENT development)
  install(EXPORT hearsay-${part} NAMESPACE Hearsay:: FILE hearsay-${part}-targets.cmake
    DESTINATION ${hearsay_config_directory} COMPONENT development)
  get_target_property(folders ${target} HEARSAY_HEADERS)
  foreach(folder ${folders})
    # Leaves out query.h, since apps ask no queries and the SDK has no parser for queries.
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}/hearsay DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
      COMPONENT development FILES_MATCHING PATTERN *.h PATTERN query.h EXCLUDE)
  endforeach()

  # A part of the SDK may need other parts (HEARSAY_USES). A program that links a static library must also link the
  # libraries in HEARSAY_LIBRARIES. A shared library loads its libraries by itself.
  get_target_property(libraries ${target} HEARSAY_LIBRARIES)
  get_target_property(used ${target} HEARSAY_USES)
  get_target_property(name ${target} OUTPUT_NAME)
  set(config "set(hearsay_uses ${used})\n")
  set(requires)
  set(runtime)
  foreach(other ${used})
    get_target_property(other_name hearsay_${other} OUTPUT_NAME)
    list(APPEND requires ${other_name})
  endforeach()
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL "SHARED_LIBRARY")
    foreach(library ${libraries})
      string(REPLACE ";" " " package "${hearsay_package_${library}}")
      string(APPEND config "find_dependency(${package})\n")
      list(APPEND requires ${hearsay_pkg_config_${library}})
    endforeach()
    # The C++ runtime libraries, for programs that a C compiler links.
    set(runtime ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
    list(FILTER runtime INCLUDE REGEX "^(stdc\\+\\+|c\\+\\+|m)$")
    list(TRANSFORM runtime PREPEND -l)
  endif()
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/hearsay-${part}-dependencies.cmake "${config}")
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/hearsay-${part}-dependencies.cmake DESTINATION ${hearsay_config_directory}
    COMPONENT development)

  list(JOIN requires " " requires)
  list(JOIN runtime " " runtime)
  file(RELATIVE_PATH up /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  set(description "${arg_DESCRIPTION}")
  configure_file(cmake/hearsay.pc.in ${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT development)
endfunction()

hearsay_install_library(core DESCRIPTION "Hearsay: randomizes a record on the device (local differential privacy)")
hearsay_install_library(client DESCRIPTION "Hearsay: a client that makes and uploads randomized reports")
hearsay_install_library(c DESCRIPTION "Hearsay for C and for languages that call C")

set(hearsay_parts core client c)
configure_file(cmake/HearsayConfig.cmake.in HearsayConfig.cmake @ONLY)
write_basic_package_version_file(HearsayConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/HearsayConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/HearsayConfigVersion.cmake
  DESTINATION ${hearsay_config_directory} COMPONENT development)

foreach(program hearsay_cli hearsay_central_cli hearsay_report)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME COMPONENT tools)
  endif()
endforeach()

# hearsay and hearsay-central write their own manual pages and completion for bash. A build for another system cannot
# run these programs, so such a build installs neither manual pages nor completion.
if(NOT CMAKE_CROSSCOMPILING)
  foreach(program hearsay_cli hearsay_central_cli)
    if(TARGET ${program})
      set(manual ${CMAKE_CURRENT_BINARY_DIR}/manual/${program})
      add_custom_command(OUTPUT ${manual}.stamp
        COMMAND ${program} --write-manual ${manual} COMMAND ${CMAKE_COMMAND} -E touch ${manual}.stamp
        DEPENDS ${program} VERBATIM)
      add_custom_target(${program}_manual ALL DEPENDS ${manual}.stamp)
      install(DIRECTORY ${manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT tools)
      install(DIRECTORY ${manual}/completions/ DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        COMPONENT tools)
    endif()
  endforeach()
endif()

if(TARGET hearsayd)
  install(TARGETS hearsayd RUNTIME COMPONENT aggregator)
  install(FILES aggregator/daemon/hearsayd.service DESTINATION lib/systemd/system COMPONENT aggregator)
  install(FILES cmake/packages/hearsayd/sysusers.conf DESTINATION lib/sysusers.d RENAME hearsayd.conf COMPONENT aggregator)
  install(FILES cmake/packages/hearsayd/tmpfiles.conf DESTINATION lib/tmpfiles.d RENAME hearsayd.conf COMPONENT aggregator)
  install(FILES cmake/packages/hearsayd/hearsayd.json DESTINATION ${CMAKE_INSTALL_FULL_SYSCONFDIR}/hearsay COMPONENT aggregator)
endif()
