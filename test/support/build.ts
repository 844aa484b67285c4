/** Builds dist/ once before the tests, as the service is run from it. */
export async function setup(): Promise<void> {
  const script: string = new URL("../../scripts/build.mjs", import.meta.url).href;
  const { buildAll } = (await import(script)) as { buildAll: () => Promise<void> };
  await buildAll();
}
