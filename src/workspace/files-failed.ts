/** What was at fault. */
export type FilesFault =
  /** The archive: nothing was changed. */
  | "archive"
  /** A piece left a gap: nothing was changed. */
  | "offset"
  /** The upload has become too large: nothing was changed. */
  | "size"
  /** The files of the workspace or their storage. */
  | "files";

/** Files could not be brought, fetched or removed. The message is for the caller and says what was changed. */
export class FilesFailed extends Error {
  override readonly name = "FilesFailed";
  readonly fault: FilesFault;
  /** Where to go on with an upload, in bytes. Only for `offset`. */
  readonly expectedOffset: number | undefined;

  constructor(fault: FilesFault, message: string, options: { expectedOffset?: number } = {}) {
    super(message);
    this.fault = fault;
    this.expectedOffset = options.expectedOffset;
  }
}
