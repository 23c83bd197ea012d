# Configures cpack to make Debian packages, one for each component. cmake/packages/README.md says how to make the
# packages and what each package holds.
set(CPACK_GENERATOR DEB)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_VENDOR Hearsay)
set(CPACK_PACKAGE_CONTACT "Hearsay maintainers <maintainers@hearsay.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_CURRENT_BINARY_DIR})  # libhearsay.so loads libhearsay-core.so
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_COMPONENTS_ALL)

# hearsay_package(component NAME package SECTION section SUMMARY text DESCRIPTION text [DEPENDS text])
macro(hearsay_package component)
  cmake_parse_arguments(arg "" "NAME;SECTION;SUMMARY;DESCRIPTION;DEPENDS" "" ${ARGN})
  string(TOUPPER ${component} upper)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${arg_NAME})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${arg_SECTION})
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${arg_DEPENDS}")
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${arg_SUMMARY}\n${arg_DESCRIPTION}")
  install(FILES cmake/packages/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${arg_NAME} COMPONENT ${component})
endmacro()

hearsay_package(runtime NAME libhearsay0 SECTION libs SUMMARY "randomizes a person's record on the device"
  DESCRIPTION "The shared libraries of Hearsay, with which an app makes locally differentially private reports.")
set(development_depends "libhearsay0 (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
if(NOT BUILD_SHARED_LIBS)
  string(APPEND development_depends ", libssl-dev, libcurl4-openssl-dev, libsqlite3-dev")
endif()
hearsay_package(development NAME libhearsay-dev SECTION libdevel SUMMARY "headers of the Hearsay SDK"
  DESCRIPTION "Headers, and files for CMake and pkg-config, to build apps with Hearsay." DEPENDS "${development_depends}")
hearsay_package(tools NAME hearsay SECTION utils SUMMARY "tools of Hearsay"
  DESCRIPTION "Design tasks, get estimates from an aggregator, administer an aggregator, audit mechanisms, report from a script.")
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS "coinor-csdp")  # `hearsay bounds` runs csdp
if(TARGET hearsayd)
  hearsay_package(aggregator NAME hearsayd SECTION net SUMMARY "aggregator of Hearsay"
    DESCRIPTION "Takes randomized reports over TLS and answers counting queries about the people who report."
    DEPENDS "systemd | systemd-standalone-sysusers, systemd | systemd-standalone-tmpfiles")
  set(scripts)
  foreach(script postinst prerm postrm conffiles)
    list(APPEND scripts ${PROJECT_SOURCE_DIR}/cmake/packages/hearsayd/${script})
  endforeach()
  set(CPACK_DEBIAN_AGGREGATOR_PACKAGE_CONTROL_EXTRA "${scripts}")
  install(FILES cmake/packages/hearsayd/README.Debian DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/hearsayd COMPONENT aggregator)
endif()
include(CPack)
