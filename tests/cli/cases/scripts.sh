# Scripts refuse arguments that they do not take, before they do anything.
for script in bare check cross package quickstart reproduce sbom site try_packages wheel; do
  sh "$SOURCE/tools/$script.sh" --option
  echo "$script: exit $?"
done
sh "$SOURCE/tools/quickstart.sh" folder
sh "$SOURCE/tools/package.sh" dist folder
sh "$SOURCE/tools/sbom.sh"
sh "$SOURCE/tools/try_packages.sh"
sh "$SOURCE/tools/check.sh" --quick
sh "$SOURCE/tools/check.sh" --quick engine --long
