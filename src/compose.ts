import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ConnectRouter } from "@connectrpc/connect";
import { ProjectService } from "../gen/handrail/v1/project_service_pb.js";
import { SessionService } from "../gen/handrail/v1/session_service_pb.js";
import { ToolService } from "../gen/handrail/v1/tool_service_pb.js";
import { loadAssets } from "./assets.js";
import type { Assets } from "./assets.js";
import { AbortReason } from "./calls/abort-reason.js";
import { MAX_ARGUMENT_BYTES } from "./calls/arguments.js";
import { storedArchive } from "./calls/call-archive.js";
import { keepInWorkspace } from "./calls/keep-whole.js";
import type { LocalClient } from "./calls/local-client.js";
import { Slots } from "./calls/slots.js";
import { storedGenerations } from "./calls/stored-generations.js";
import { storedRecoveries } from "./calls/stored-recoveries.js";
import { checkedReadiness } from "./calls/workspace-readiness.js";
import type { Config } from "./config/config.js";
import { ConfigError } from "./config/environment.js";
import { readTokensFile } from "./config/tokens-file.js";
import type { CallLog } from "./interceptors/observe.js";
import { createPictureRunner, preparePicture } from "./jobs/picture.js";
import { createGuardedDialler } from "./outside/guarded-dialler.js";
import { OutsidePolicy } from "./outside/outside-policy.js";
import { createResolveHost } from "./outside/resolve-host.js";
import { projectService } from "./rpc/project-service.js";
import { sandboxStatus } from "./rpc/sandbox-status.js";
import { sessionService } from "./rpc/session-service.js";
import { toolService } from "./rpc/tool-service.js";
import { composeChain } from "./compose-chain.js";
import { chooseProvider } from "./choose-provider.js";
import { anonymous, bearerTokens, hashToken } from "./server/authenticate.js";
import type { Authenticate } from "./server/authenticate.js";
import { openEmbeddedStore } from "./state/embedded/open-embedded-store.js";
import type { StateStore } from "./state/store.js";
import { startServer } from "./server/server.js";
import { ToolRegistry, createAllTools } from "./tools/registry.js";
import { createMasker } from "./secrets/masker.js";
import { VERSION } from "./version.js";
import { EgressCounters } from "./workspace/egress-counters.js";
import type { EgressGate } from "./workspace/egress-gate.js";
import { createWorkspaceManager } from "./workspace/workspace-manager.js";

/** Largest request: the longest arguments and all else that a request has. */
const MAX_REQUEST_BYTES = MAX_ARGUMENT_BYTES + 1024 * 1024;

/** Room for the long outputs of a project, in outputs of the greatest length. */
const ARTIFACT_SPOOLS = 8;

/** A service that listens. */
export interface Service {
  readonly url: string;
  /** Runs tools for callers inside the process, by the same chain as the wire. */
  readonly local: LocalClient;
  /** What to tell the person who started it, a line each. */
  readonly greeting: readonly string[];
  /** Lets running calls end, then ends what is left, and closes everything. */
  drain(): Promise<void>;
}

/** Wires the service and starts it: the only place that knows every part. */
export async function compose(config: Config, options: { log: CallLog; dist: URL }): Promise<Service> {
  const { log, dist } = options;
  const assets = loadAssets(dist);
  const { dataDir, instance } = config.sandbox;
  const store = await openEmbeddedStore({
    directory: join(dataDir, "state", instance),
    checkScript: assets.stateCheckPath,
    report: (error) => log.error({ err: error }, "expired records could not be removed"),
  });
  try {
    return await serveWith(config, { log, assets, store });
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function serveWith(
  config: Config,
  { log, assets, store }: { log: CallLog; assets: Assets; store: StateStore },
): Promise<Service> {
  const { provider, advice } = await chooseProvider(config.sandbox, config.isRoot);
  const gate = config.sandbox.network === "egress" ? egressGate(config, log) : undefined;
  const workspaces = createWorkspaceManager({
    provider,
    log,
    assets,
    disk: { quotaBytes: config.sandbox.quotaBytes, reserveBytes: config.sandbox.diskReserveBytes },
    idle: { agentMs: config.sandbox.agentIdleMs, sandboxMs: config.sandbox.sandboxIdleMs },
    generations: storedGenerations(store, provider.name),
    artifacts: {
      keptMs: config.calls.policy.keptMs,
      maxBytes: ARTIFACT_SPOOLS * config.calls.policy.spoolBytes,
    },
    ...(gate === undefined ? {} : { gate }),
  });
  const pictures = createPictureRunner({ scriptPath: assets.pictureJobPath, execArgv: [] });
  const slots = new Slots({ perProject: config.calls.perProject, waiting: config.calls.waiting });
  const tools = new ToolRegistry(
    createAllTools({
      bash: config.calls.bash,
      read: { preparePicture: (bytes, { signal }) => preparePicture(bytes, { runner: pictures, signal }) },
    }),
  );
  const conditions = { environment: config.environmentNames, mcpEnabled: false, connectorsAllowed: false };
  const { policy, recovery } = config.calls;
  const noSecrets = createMasker([]);
  const maskers = { of: () => noSecrets };
  const chain = composeChain({
    ...{ tools, policy, slots, conditions, workspaces, maskers, log },
    recovery: { policy: recovery, memory: storedRecoveries(store, recovery) },
    archive: (options) => storedArchive({ store, keptMs: policy.keptMs, ...options }),
    keepWhole: keepInWorkspace({ workspaces, maxBytes: policy.spoolBytes, log }),
    readiness: checkedReadiness({
      workspaces,
      check: (signal) => provider.check(signal),
      toStatus: sandboxStatus,
    }),
  });
  const { interceptors, local, registry, metrics } = chain;
  const server = await startServer({
    host: config.server.host,
    port: config.server.port,
    ...tlsOf(config),
    routes: (router: ConnectRouter) => {
      const { heartbeatMs } = policy;
      const shared = { ...chain, workspaces, maskers };
      router.service(ToolService, toolService({ ...shared, tools, conditions, heartbeatMs }));
      router.service(ProjectService, projectService(shared));
      router.service(SessionService, sessionService(shared));
    },
    interceptors,
    authenticate: authenticationOf(config),
    allowedOrigins: config.server.allowedOrigins,
    allowedHosts: config.server.allowedHosts,
    drainMs: config.server.drainMs,
    readMaxBytes: MAX_REQUEST_BYTES,
    version: VERSION,
    metrics: () => metrics.text(),
    log,
  });
  server.shutdownSignal.addEventListener("abort", () => {
    for (const call of registry.allRunning()) call.run.stop(new AbortReason("shutdown"));
  });
  return {
    url: server.url,
    local,
    greeting: [`Handrail ${VERSION} serves at ${server.url}`, ...advice],
    async drain() {
      await server.drain();
      await Promise.all([workspaces.close(), pictures.close()]);
      await store.close();
      if (gate !== undefined) log.info(gate.counters.totals(), "egress since the start");
    },
  };
}

function egressGate({ egress }: Config, log: CallLog): EgressGate {
  const { rules, ...limits } = egress;
  const dial = createGuardedDialler({ policy: new OutsidePolicy(rules), resolve: createResolveHost() });
  return { ...limits, dial, counters: new EgressCounters(), log };
}

function authenticationOf({ server }: Config): Authenticate {
  if (server.tokensFile === undefined) return anonymous();
  return bearerTokens(
    readTokensFile(server.tokensFile).map(({ token, tenant, user, rights }) => ({
      sha256: hashToken(token),
      principal: { tenant, rights: new Set(rights), ...(user === undefined ? {} : { user }) },
    })),
  );
}

function tlsOf({ server }: Config): { tls?: { cert: Buffer; key: Buffer } } {
  const { tlsCertFile, tlsKeyFile } = server;
  if (tlsCertFile === undefined && tlsKeyFile === undefined) return {};
  return {
    tls: {
      cert: readPem("HANDRAIL_TLS_CERT_FILE", tlsCertFile),
      key: readPem("HANDRAIL_TLS_KEY_FILE", tlsKeyFile),
    },
  };
}

function readPem(variable: string, path: string | undefined): Buffer {
  if (path === undefined) throw new ConfigError(`${variable}: is required, since the other TLS file is set`);
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ConfigError(`${variable}: cannot be read (${(error as NodeJS.ErrnoException).code ?? "?"})`);
  }
}
