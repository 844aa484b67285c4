import { SupervisorLink } from "./supervisor-link.js";

/**
 * A link that is connected before a run asks for one, so that the run need not wait for it. It is made between runs,
 * when nobody waits.
 */
export class SpareLink {
  #spare: { readonly link: SupervisorLink; readonly socketPath: string } | undefined;

  /** The spare link to that socket, which is the caller's from then on. Undefined if there is none. */
  take(socketPath: string): SupervisorLink | undefined {
    const spare = this.#spare;
    if (spare?.socketPath !== socketPath) return undefined;
    this.#spare = undefined;
    return spare.link.isOpen ? spare.link : undefined;
  }

  /** Makes a spare link, if there is none. */
  refill(socketPath: string): void {
    if (this.#spare?.link.isOpen === true) return;
    this.#spare = { link: new SupervisorLink(socketPath), socketPath };
  }

  /** Closes the spare link. */
  drop(): void {
    this.#spare?.link.close();
    this.#spare = undefined;
  }
}
