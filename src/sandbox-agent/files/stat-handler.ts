import { closeSync } from "node:fs";
import type { AgentHandlers } from "../../sandbox/channel/agent-handlers.js";
import { absolutePath } from "./absolute-path.js";
import { fileInfo } from "./file-info.js";
import { fileKind } from "./file-kind.js";
import { missingFailure } from "./missing-failure.js";
import type { FilePlaces } from "./open-file.js";
import { walkPath } from "./path-walk.js";

/** Makes the handler of Stat. */
export function createStatHandler(places: FilePlaces): AgentHandlers["stat"] {
  const { roots } = places;
  // eslint-disable-next-line @typescript-eslint/require-await -- what is thrown becomes a rejection
  return async ({ path: shownPath }) => {
    const place = walkPath(absolutePath(shownPath, places), {
      shownPath,
      roots,
      onMissing: (missing) => missingFailure(missing, { shownPath, roots }),
    });
    closeSync(place.fd);
    return {
      kind: fileKind(place.stat),
      info: fileInfo(place),
      workspacePath: roots.inWorkspace(place.path),
    };
  };
}
