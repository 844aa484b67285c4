/** The closed set of reasons for which an RPC is refused before any work, each with what it means. */
export const REASONS = {
  UNAUTHENTICATED: "No valid credentials were sent.",
  PERMISSION_DENIED: "The credentials do not carry the right that the RPC needs.",
  NOT_FOUND: "The project, call, question or artifact does not exist for this tenant.",
  INVALID_REQUEST: "A field of the request is malformed; BadRequest names it.",
  INVALID_DEADLINE: "The deadline of the request cannot be read.",
  DEADLINE_EXCEEDED: "The deadline of the request passed.",
  CANCELED: "The client canceled the request.",
  CALL_ID_REUSED:
    "The call id belongs to a call with another tool, other arguments, another session or user.",
  CALL_ID_REQUIRED: "The request is a retry but has no call id, so it could run twice.",
  CALL_CANCELED: "The call was canceled before it arrived.",
  UPLOAD_OFFSET: "A piece of an upload leaves a gap; the metadata say where to go on (`expected_offset`).",
  UPLOAD_TOO_LARGE: "The archive is larger than an upload may be.",
  BAD_ARCHIVE:
    "The archive cannot be unpacked, or has a name that leads out of its directory; nothing was changed.",
  FILES_FAILED: "Files of the workspace could not be read, written or removed; the message has the cause.",
  QUEUE_FULL: "Too many calls wait for the project.",
  STATE_UNAVAILABLE: "The service cannot write down the call, so it does not start it.",
  DRAINING: "The service is going down and starts nothing new.",
  NO_SANDBOX: "No sandbox can be made on this service.",
  IMAGE_MISSING: "The sandbox image is not there.",
  ENGINE_UNREACHABLE: "The container engine does not answer.",
  NOT_IMPLEMENTED: "This version of the service does not have the RPC or the option.",
  INTERNAL: "A bug of the service.",
} as const;

/** A reason for which an RPC is refused. */
export type Reason = keyof typeof REASONS;
