/** How a local sandbox keeps commands apart from the machine. */
export type LocalIsolation = "bubblewrap" | "process";

/** Options of the local provider. */
export interface LocalProviderOptions {
  /** Directory of the provider's own; everything it keeps stands below it. Users other than its owner must be able to pass. */
  readonly dataDir: string;
  /** `auto`: bubblewrap where it works, else a plain process. Default `auto`. */
  readonly isolation?: LocalIsolation | "auto";
  /** User and group id that root gives commands. Default 1000 for root; without root it is the service's own. */
  readonly uid?: number;
  /** The bubblewrap program. Default `bwrap`, looked up in the usual places. */
  readonly bwrapPath?: string;
  /** The Node program of agents. Default: that of this process. */
  readonly nodePath?: string;
  /** Size limit of a sandbox's /tmp under bubblewrap, in bytes. Default 512 MiB. */
  readonly temporaryBytes?: number;
}
