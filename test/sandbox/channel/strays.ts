import { afterEach, beforeEach, expect } from "vitest";
import { setTimeout as sleep } from "node:timers/promises";

/** Makes each test of the file fail if a rejection or an exception is left unhandled. */
export function expectNoStrays(): void {
  const strays: unknown[] = [];
  const stray = (error: unknown): void => void strays.push(error);
  beforeEach(() => {
    process.on("unhandledRejection", stray);
    process.on("uncaughtException", stray);
  });
  afterEach(async () => {
    await sleep(20);
    process.off("unhandledRejection", stray);
    process.off("uncaughtException", stray);
    expect(strays.splice(0)).toEqual([]);
  });
}

/** What a promise rejects with. */
export function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => "it was fulfilled",
    (error: unknown) => error,
  );
}
