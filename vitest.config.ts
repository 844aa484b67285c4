import { defineConfig } from "vitest/config";

const parts = new Set((process.env["HANDRAIL_TEST_PARTS"] ?? "docker,bubblewrap,python3,curl").split(","));

/** Tests that need a part are left out where it is missing; the set-up says so and fails. */
const absent = [
  ...(parts.has("docker") ? [] : ["test/sandbox/docker/**", "test/**/*.docker.test.ts"]),
  ...(parts.has("bubblewrap") ? [] : ["test/**/*.bubblewrap.test.ts"]),
  ...(parts.has("python3") ? [] : ["test/**/*.python.test.ts"]),
];

const engine = [
  "test/sandbox/{docker,local}/**/*.test.ts",
  "test/workspace/**/*.test.ts",
  "test/e2e/**/*.test.ts",
  "test/reports/**/*.test.ts",
];
const timed = ["test/**/*.timed.test.ts"];
const faults = ["test/faults/**/*.test.ts"];

const common = { testTimeout: 30_000, hookTimeout: 60_000, globalSetup: ["test/support/build.ts"] };

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...common,
          name: "quick",
          include: ["test/**/*.test.ts"],
          exclude: [...engine, ...timed, ...faults, ...absent],
          maxWorkers: 2,
        },
      },
      {
        test: {
          ...common,
          name: "engine",
          include: engine,
          exclude: [...timed, ...absent],
          maxWorkers: 2,
          testTimeout: 60_000,
        },
      },
      {
        test: {
          ...common,
          name: "timed",
          include: timed,
          exclude: absent,
          fileParallelism: false,
          testTimeout: 120_000,
        },
      },
      {
        test: {
          ...common,
          name: "faults",
          include: faults,
          exclude: absent,
          fileParallelism: false,
          testTimeout: 180_000,
        },
      },
    ],
  },
});
