#!/bin/sh
# recipes.sh CMAKE PYTHON SOURCE: what can be checked of the recipes of tools/recipes without vcpkg and Conan: they
# parse, have the version of the sources, and use only options and folders that there are.
set -eu
cmake=$1 python=$2 source=$3
recipes=$source/tools/recipes
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(sed -n 's/^#define TARE_VERSION "\(.*\)"$/\1/p' "$source/include/tare/tare.h")

"$python" - "$recipes" "$version" <<'END'
import ast, json, pathlib, sys
recipes, version = pathlib.Path(sys.argv[1]), sys.argv[2]
port = json.loads((recipes / "vcpkg/tare/vcpkg.json").read_text())
assert port["version"] == version, f"vcpkg.json: {port['version']}, expected {version}"
tree = ast.parse((recipes / "conan/conanfile.py").read_text())
recipe = next(node for node in tree.body if isinstance(node, ast.ClassDef))
fields = {a.targets[0].id: a.value.value for a in recipe.body
          if isinstance(a, ast.Assign) and isinstance(a.value, ast.Constant)}
assert fields["version"] == version, f"conanfile.py: {fields['version']}, expected {version}"
root = recipes.parent.parent
patterns = next(node.iter.elts for node in ast.walk(recipe) if isinstance(node, ast.For))
for pattern in patterns:
    assert any(root.glob(pattern.value)), f"conanfile.py: {pattern.value}: there is none"
END

for option in $(grep -rhoE 'TARE_[A-Z_]+' "$recipes" | sort -u); do
  grep -qE "(option|set|if|find_file|find_program)\((NOT )?$option\b" "$source/CMakeLists.txt" "$source"/cmake/*.cmake \
    "$source"/*/CMakeLists.txt || {
    echo "$option: the build knows no such option"
    exit 1
  }
done

# The port runs with functions in place of vcpkg's, which only look at what they are given.
cat >"$work/port.cmake" <<END
function(vcpkg_find_acquire_program name)
  set(\${name} pkg-config PARENT_SCOPE)
endfunction()
function(vcpkg_cmake_configure)
  cmake_parse_arguments(A "" SOURCE_PATH OPTIONS \${ARGN})
  if(A_UNPARSED_ARGUMENTS OR NOT EXISTS "\${A_SOURCE_PATH}/CMakeLists.txt")
    message(FATAL_ERROR "vcpkg_cmake_configure: \${ARGN}")
  endif()
endfunction()
function(vcpkg_cmake_install)
endfunction()
function(vcpkg_cmake_config_fixup)
  set_property(GLOBAL PROPERTY config "\${ARGN}")
endfunction()
function(vcpkg_fixup_pkgconfig)
endfunction()
function(vcpkg_install_copyright files file)
  if(NOT EXISTS "\${file}")
    message(FATAL_ERROR "there is no \${file}")
  endif()
endfunction()
set(PORT tare)
set(CURRENT_PACKAGES_DIR "$work/packages")
include("$recipes/vcpkg/tare/portfile.cmake")
END
"$cmake" -P "$work/port.cmake"
test -s "$work/packages/share/tare/usage"
grep -q 'CMAKE_INSTALL_LIBDIR}/cmake/tare' "$source/cmake/TareInstall.cmake" # where the port looks for it
