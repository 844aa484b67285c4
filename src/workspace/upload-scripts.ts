/** Exit codes by which the script of an upload says what was at fault. */
export const UPLOAD_EXIT = { archive: 10, space: 11, target: 12 } as const;

/**
 * Sizes of the pieces of an upload, in order, and removes uploads that nobody has gone on with for an hour. Takes
 * UPLOADS, the directory of all uploads, and UPLOAD, the id.
 */
export const LIST_PIECES = `
mkdir -p "$UPLOADS/$UPLOAD" && cd "$UPLOADS" || exit 1
touch "$UPLOAD"
find . -mindepth 1 -maxdepth 1 -mmin +60 ! -name "$UPLOAD" -exec chmod -R u+rwX {} + -exec rm -rf {} +
cd "$UPLOAD" && find . -maxdepth 1 -name 'piece.*' -printf '%f %s\\n' | sort
`;

/**
 * Unpacks an upload beside the workspace, looks through what came out, and only then puts it into the workspace. Takes
 * UPLOADS, UPLOAD, TARGET (absolute) and MODE, `merge` or `replace`. Prints the number of entries.
 */
export const UNPACK = `
fail() { echo "$2" >&2; exit "$1"; }
cd "$UPLOADS/$UPLOAD" || exit 1
[ -d new ] && chmod -R u+rwX new && rm -rf new
mkdir new
cat piece.* > archive.tar || fail ${UPLOAD_EXIT.space} "no space is left for the archive"
refused=$(LC_ALL=C tar --extract --file archive.tar --directory new --no-same-owner --delay-directory-restore 2>&1) || {
  case "$refused" in
    *"No space left"* | *"quota exceeded"*) fail ${UPLOAD_EXIT.space} "no space is left to unpack the archive" ;;
  esac
  fail ${UPLOAD_EXIT.archive} "$(printf '%s' "$refused" | grep -v 'Exiting with failure' | head -n 3)"
}
case "$refused" in
  *"Removing leading"*) fail ${UPLOAD_EXIT.archive} "a name in it is absolute or leads out of its directory" ;;
esac
odd=$(find new ! -type f ! -type d ! -type l -print -quit)
[ -z "$odd" ] || fail ${UPLOAD_EXIT.archive} "\${odd#new/} is neither a file nor a directory nor a link"
mkdir -p "$TARGET" && [ -d "$TARGET" ] || fail ${UPLOAD_EXIT.target} "the directory to unpack in cannot be made"
need=$(du -sk new | cut -f1)
free=$(df -Pk "$TARGET" | awk 'NR == 2 { print $4 }')
[ "$need" -lt "$free" ] || fail ${UPLOAD_EXIT.space} "$need KiB are needed and $free KiB are free"
if [ "$MODE" = replace ]; then
  find "$TARGET" -mindepth 1 -maxdepth 1 -exec chmod -R u+rwX {} + 2>/dev/null
  find "$TARGET" -mindepth 1 -maxdepth 1 -exec rm -rf {} + || fail ${UPLOAD_EXIT.target} "what was there could not all be removed"
fi
find new -mindepth 1 | wc -l
cp -a --reflink=auto --remove-destination new/. "$TARGET/" >&2 || exit ${UPLOAD_EXIT.target}
`;

/** Removes an upload. Takes UPLOADS and UPLOAD. */
export const FORGET = `cd "$UPLOADS" && chmod -R u+rwX "$UPLOAD"; rm -rf "$UPLOAD"`;
