/**
 * What a tool may change: nothing; nothing, but it reads what changes; the session; files; whatever programs change;
 * something outside the sandbox.
 */
export type Effect = "none" | "read" | "session" | "write" | "execute" | "external";
