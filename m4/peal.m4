# Checks of peal's own. Each missing thing is collected, so that one run of configure names all of them.

# PEAL_MISSING(what, what needs it, Debian package)
AC_DEFUN([PEAL_MISSING], [
  peal_missing="$peal_missing
  $1: needed for $2 (Debian: apt-get install $3)"
  peal_missing_packages="$peal_missing_packages $3"
])

# PEAL_LIBRARY(variable, pkg-config module, what needs it, Debian package)
AC_DEFUN([PEAL_LIBRARY], [
  PKG_CHECK_MODULES([$1], [$2], [], [PEAL_MISSING([$2], [$3], [$4])])
])

# PEAL_LIBRARY_OPTIONAL(variable, pkg-config module, what needs it, Debian package): only `make check` stops without it
AC_DEFUN([PEAL_LIBRARY_OPTIONAL], [
  PKG_CHECK_MODULES([$1], [$2], [peal_have_$1=yes],
    [peal_have_$1=no
     AC_MSG_WARN([$2 not found: $3 needs it (Debian: apt-get install $4)])])
  AM_CONDITIONAL([HAVE_$1], [test "x$peal_have_$1" = xyes])
])

# PEAL_HEADER(header, what needs it, Debian package)
AC_DEFUN([PEAL_HEADER], [
  AC_LANG_PUSH([C++])
  peal_save_CXXFLAGS=$CXXFLAGS
  CXXFLAGS="$CXXFLAGS -std=c++20"
  AC_MSG_CHECKING([for $1])
  AC_PREPROC_IFELSE([AC_LANG_SOURCE([[#include <$1>]])], [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     PEAL_MISSING([<$1>], [$2], [$3])])
  CXXFLAGS=$peal_save_CXXFLAGS
  AC_LANG_POP([C++])
])

AC_DEFUN([PEAL_REPORT_MISSING], [
  AS_IF([test -n "$peal_missing"], [AC_MSG_ERROR([missing:$peal_missing
All of them at once: apt-get install$peal_missing_packages])])
])

# PEAL_REQUIRE_CXX20: a compiler whose C++20 has concepts, coroutines and <source_location>
AC_DEFUN([PEAL_REQUIRE_CXX20], [
  peal_save_CXXFLAGS=$CXXFLAGS
  CXXFLAGS="$CXXFLAGS -std=c++20"
  AC_MSG_CHECKING([whether $CXX knows C++20])
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
#include <concepts>
#include <coroutine>
#include <source_location>
#include <span>
    ]], [[std::span<int> s; return static_cast<int>(s.size() + std::source_location::current().line());]])],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([$CXX cannot compile C++20: use g++ 12 or newer (Debian: apt-get install g++)])])
  CXXFLAGS=$peal_save_CXXFLAGS
])

# PEAL_SANITIZE: --enable-sanitize=address|thread builds everything under AddressSanitizer + UndefinedBehaviorSanitizer or ThreadSanitizer
AC_DEFUN([PEAL_SANITIZE], [
  AC_ARG_ENABLE([sanitize], [AS_HELP_STRING([--enable-sanitize=address|thread], [build with AddressSanitizer and UndefinedBehaviorSanitizer, or with ThreadSanitizer])],
    [], [enable_sanitize=no])
  AS_CASE([$enable_sanitize],
    [no], [PEAL_SANITIZER=none],
    [address], [PEAL_SANITIZER=address
      PEAL_SANITIZE_FLAGS="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"],
    [thread], [PEAL_SANITIZER=thread
      PEAL_SANITIZE_FLAGS="-fsanitize=thread -Wno-tsan"],
    [AC_MSG_ERROR([--enable-sanitize takes address or thread, not $enable_sanitize])])
  AC_SUBST([PEAL_SANITIZER])
  AC_SUBST([PEAL_SANITIZE_FLAGS])
])
