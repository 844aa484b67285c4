/** Which set of tools a call may use. */
export type Mode = "plan" | "build";
