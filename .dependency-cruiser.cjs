// Arrows point down only. A folder may import the folders of its own line and of the lines below it.
const layers = {
  cli: ["main", "diagnose", "text", "config", "version", "gen"],
  server: ["rpc", "calls", "domain", "gen"],
  rpc: ["calls", "tools", "secrets", "workspace", "sandbox-spec", "domain", "gen"],
  interceptors: ["rpc", "calls", "metrics", "secrets", "tools", "text", "domain", "gen"],
  calls: ["tools", "workspace", "sessions", "secrets", "state-spec", "sandbox-spec", "text", "domain", "gen"],
  tools: ["workspace", "sessions", "outside", "sandbox-spec", "jobs", "text", "domain", "gen"],
  workspace: ["outside", "sandbox-spec", "sandbox-channel", "sandbox-boot", "gen"],
  sessions: ["domain"],
  secrets: ["text", "domain"],
  state: [],
  metrics: [],
  jobs: ["text", "domain"],
  outside: ["domain"],
  config: ["calls", "outside", "domain"],
  text: [],
  domain: [],
};

const paths = {
  main: "^src/main\\.ts$",
  diagnose: "^src/diagnose\\.ts$",
  version: "^src/version\\.ts$",
  gen: "^gen/",
  "sandbox-spec": "^src/sandbox/(provider|channel/agent-client)\\.ts$",
  "state-spec": "^src/state/store\\.ts$",
  "sandbox-channel": "^src/sandbox/channel/",
  "sandbox-boot": "^src/sandbox/boot/",
};

const pathOf = (name) => paths[name] ?? `^src/${name}/`;

const layerRules = Object.entries(layers).map(([name, below]) => ({
  name: `${name}-points-down`,
  severity: "error",
  from: { path: pathOf(name) },
  to: {
    path: "^(src|gen)/",
    pathNot: [pathOf(name), ...below.map(pathOf)],
  },
}));

module.exports = {
  forbidden: [
    ...layerRules,
    {
      name: "no-cycles",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "only-wiring-imports-providers",
      severity: "error",
      from: {
        path: "^src/",
        pathNot: ["^src/(choose-provider|compose|diagnose)\\.ts$", "^src/sandbox/(docker|local)/"],
      },
      to: { path: "^src/sandbox/(docker|local)/" },
    },
    {
      name: "only-wiring-imports-stores",
      severity: "error",
      from: { path: "^src/", pathNot: ["^src/compose\\.ts$", "^src/state/embedded/"] },
      to: { path: "^src/state/embedded/" },
    },
    {
      name: "providers-stand-alone",
      severity: "error",
      from: { path: "^src/sandbox/(docker|local)/" },
      to: { path: "^(src|gen)/", pathNot: ["^src/sandbox/$1/", "^src/sandbox/[^/]+\\.ts$"] },
    },
    {
      name: "the-agent-imports-its-own",
      severity: "error",
      from: { path: "^src/sandbox-agent/" },
      to: {
        path: "^(src|gen)/",
        pathNot: ["^src/sandbox-agent/", "^src/sandbox/channel/", "^gen/handrail/sandbox/"],
      },
    },
    {
      name: "src-imports-no-tests",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^(test|bench|scripts)/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { extensions: [".ts", ".js", ".mjs"], conditionNames: ["import", "default"] },
  },
};
