import type { Loop, Ran } from "./loop.js";

/** Starts a command and waits for its first output; the command goes on. */
export async function runUntilOutput(loop: Loop, body: string): Promise<{ running: Promise<Ran> }> {
  let speak: () => void = () => undefined;
  const spoken = new Promise<void>((resolve) => (speak = resolve));
  const running = loop.run(body, {
    onEvent: ({ event }) => {
      if (event.case === "output") speak();
    },
  });
  await Promise.race([spoken, running]);
  return { running };
}
