# Ends a start that lacks the packages, before Node finds one missing. npm writes this file last.
[ -f node_modules/.package-lock.json ] && exit
echo "The packages are not installed. Run npm ci first." >&2
exit 1
