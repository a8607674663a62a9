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

# PEAL_HEADER(header, condition on what it defines, what needs it, Debian package)
AC_DEFUN([PEAL_HEADER], [
  AC_LANG_PUSH([C++])
  peal_save_CXXFLAGS=$CXXFLAGS
  CXXFLAGS="$CXXFLAGS -std=c++20"
  AC_MSG_CHECKING([for $1 with $2])
  AC_PREPROC_IFELSE([AC_LANG_SOURCE([[
#include <$1>
#if !($2)
#error too old
#endif
    ]])], [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     PEAL_MISSING([<$1>], [$3], [$4])])
  CXXFLAGS=$peal_save_CXXFLAGS
  AC_LANG_POP([C++])
])

# PEAL_IF_TAKEN(option, then [, else]): whether the C++ compiler knows an option. Of an unknown one that begins with -Wno- g++ says nothing, and
# clang++ warns.
AC_DEFUN([PEAL_IF_TAKEN], [
  AC_LANG_PUSH([C++])
  peal_save_CXXFLAGS=$CXXFLAGS
  CXXFLAGS="$CXXFLAGS -Werror $1"
  AC_MSG_CHECKING([whether $CXX takes $1])
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM], [peal_taken=yes], [peal_taken=no])
  AC_MSG_RESULT([$peal_taken])
  CXXFLAGS=$peal_save_CXXFLAGS
  AC_LANG_POP([C++])
  AS_IF([test $peal_taken = yes], [$2], [$3])
])

AC_DEFUN([PEAL_REPORT_MISSING], [
  AS_IF([test -n "$peal_missing"], [AC_MSG_ERROR([missing:$peal_missing
All of them at once: apt-get install$peal_missing_packages])])
])

# PEAL_REQUIRE_CXX20: a compiler whose C++20 has concepts, coroutines and <source_location>, and which the code was tried with
AC_DEFUN([PEAL_REQUIRE_CXX20], [
  peal_save_CXXFLAGS=$CXXFLAGS
  CXXFLAGS="$CXXFLAGS -std=c++20"
  AC_MSG_CHECKING([whether $CXX knows C++20])
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
#if defined(__clang__) ? __clang_major__ < 16 : defined(__GNUC__) && __GNUC__ < 12
#error too old
#endif
#include <concepts>
#include <coroutine>
#include <source_location>
#include <span>
    ]], [[std::span<int> s; return static_cast<int>(s.size() + std::source_location::current().line());]])],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([$CXX cannot compile peal's C++20: use g++ 12 or newer (Debian: apt-get install g++) or Clang 16 or newer, with OpenMP
(Debian 12: apt-get install clang-16 libomp-16-dev; later ones: clang libomp-dev)])])
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
      PEAL_SANITIZE_FLAGS="-fsanitize=thread"
      PEAL_IF_TAKEN([-Wno-tsan], [PEAL_SANITIZE_FLAGS="$PEAL_SANITIZE_FLAGS -Wno-tsan"])],
    [AC_MSG_ERROR([--enable-sanitize takes address or thread, not $enable_sanitize])])
  AC_SUBST([PEAL_SANITIZER])
  AC_SUBST([PEAL_SANITIZE_FLAGS])
])

# PEAL_UNITS: --enable-units compiles the sources of a folder as one (its unit.cpp), in half the time. By default only with a sanitizer: what is
# edited and compiled again file by file is swifter as it is, and the compiler's limits of inlining count by what it compiles at once.
AC_DEFUN([PEAL_UNITS], [
  AC_ARG_ENABLE([units], [AS_HELP_STRING([--enable-units], [compile the sources of a folder as one; default: with a sanitizer])],
    [], [AS_IF([test $PEAL_SANITIZER = none], [enable_units=no], [enable_units=yes])])
  AM_CONDITIONAL([UNITS], [test $enable_units = yes])
])

# PEAL_RELOCATABLE: how one gets from the library's folder to the others, so that what is installed may be moved as a whole. Folders that do not lie
# below the prefix stay where they are told to be.
AC_DEFUN([PEAL_RELOCATABLE], [
  peal_prefix=$prefix
  AS_IF([test "x$prefix" = xNONE], [peal_prefix=$ac_default_prefix])
  # In the values are the names of others: ${exec_prefix} in libdir, ${prefix} in that.
  peal_folder() { (prefix=$peal_prefix; test "x$exec_prefix" != xNONE || exec_prefix=$prefix; eval "peal_it=$[]1"; eval "echo $peal_it"); }
  peal_lib=`peal_folder "$libdir"`
  PEAL_INCLUDEDIR=`peal_folder "$includedir"`
  PEAL_BINDIR=`peal_folder "$bindir"`
  AS_CASE([$peal_lib],
    ["$peal_prefix"/*], [PEAL_UP=`echo "${peal_lib@%:@"$peal_prefix"/}" | sed 's,[[^/]][[^/]]*,..,g'`
      PEAL_PREFIX="\${pcfiledir}/../$PEAL_UP"
      PEAL_LIBDIR="\${pcfiledir}/.."],
    [PEAL_UP=none PEAL_PREFIX=$peal_prefix PEAL_LIBDIR=$peal_lib])
  PEAL_INCLUDE=`echo "$PEAL_INCLUDEDIR" | sed "s,^$peal_prefix/,\\${prefix}/,"`
  AC_SUBST([PEAL_UP])
  AC_SUBST([PEAL_PREFIX])
  AC_SUBST([PEAL_LIBDIR])
  AC_SUBST([PEAL_INCLUDE])
  AC_SUBST([PEAL_INCLUDEDIR])
  AC_SUBST([PEAL_BINDIR])
])
