import { isMet } from "./row.js";
import type { Figure, Row, Target } from "./row.js";

/** The rows as a Markdown table. */
export function table(rows: readonly Row[]): string {
  const head = ["sandbox", "what", "ratio", "ours", "yardstick", "target", "met"];
  const lines = rows.map((row) => [
    row.provider,
    row.what,
    row.ratio === undefined ? "" : `${short(row.ratio.value)} ${row.ratio.reads}`,
    figure(row.ours),
    row.yardstick === undefined ? "" : `${figure(row.yardstick)}: ${row.yardstick.what}`,
    targetText(row.target),
    metText(row),
  ]);
  return [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** One line that says how many targets are met, and which are not. */
export function verdict(rows: readonly Row[]): string {
  const judged = rows.filter((row) => isMet(row) !== undefined);
  const missed = judged.filter((row) => isMet(row) === false);
  const count = `${judged.length - missed.length} of ${judged.length} targets met`;
  if (missed.length === 0) return count;
  return `${count}; missed: ${missed.map((row) => `${row.provider}: ${row.what}`).join("; ")}`;
}

function metText(row: Row): string {
  const met = isMet(row);
  return met === undefined ? "" : met ? "yes" : "NO";
}

function targetText(target: Target | undefined): string {
  return target === undefined ? "" : `${target.of} ${target.is} ${target.value}`;
}

function figure({ value, unit }: Figure): string {
  if (unit === "share") return `${short(value * 100)} %`;
  return `${short(value)} ${unit}`;
}

/** Three digits that count, at least. */
function short(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
