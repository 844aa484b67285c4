import { readFile } from "node:fs/promises";

/** Options of watchMemory. */
export interface MemoryWatchOptions {
  readonly pid: number;
  /** Most resident bytes. */
  readonly maxBytes: number;
  readonly intervalMs: number;
  /** Called once, at the first reading above `maxBytes`. */
  readonly onExceeded: (residentBytes: number) => void;
}

/** Reads a process's resident memory again and again until it ends or is too large. Call the result to stop. */
export function watchMemory({ pid, maxBytes, intervalMs, onExceeded }: MemoryWatchOptions): () => void {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    stopped = true;
    clearTimeout(timer);
  };
  const look = async () => {
    const resident = await residentBytes(pid);
    if (stopped || resident === undefined) return;
    if (resident <= maxBytes) {
      timer = setTimeout(() => void look(), intervalMs);
      return;
    }
    stop();
    onExceeded(resident);
  };
  timer = setTimeout(() => void look(), intervalMs);
  return stop;
}

/** Resident bytes of a process; undefined if it has ended or the system does not tell. */
async function residentBytes(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => undefined);
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(status ?? "")?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}
