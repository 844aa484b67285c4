/** What a caller may do: run tools, answer questions and approve, or manage projects. */
export type Right = "execute" | "respond" | "manage";

/** Who calls, as the service found it from the credentials of a request. */
export interface Principal {
  /** Who pays and owns the projects. */
  readonly tenant: string;
  /** The person behind the credentials, if they name one. */
  readonly user?: string;
  /** What the credentials allow. */
  readonly rights: ReadonlySet<Right>;
}
