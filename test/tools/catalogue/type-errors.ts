import { fileURLToPath } from "node:url";
import ts from "typescript";

const FILE = fileURLToPath(new URL("virtual.ts", import.meta.url));

/** What the TypeScript compiler has against a source that may import packages. */
export function typeErrors(source: string): string[] {
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ["node"],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  };
  const host = ts.createCompilerHost(options);
  const disk = ts.createCompilerHost(options);
  host.fileExists = (name) => name === FILE || disk.fileExists(name);
  host.readFile = (name) => (name === FILE ? source : disk.readFile(name));
  host.getSourceFile = (name, target, ...rest) =>
    name === FILE ? ts.createSourceFile(name, source, target) : disk.getSourceFile(name, target, ...rest);
  const program = ts.createProgram([FILE], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}
