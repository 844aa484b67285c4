import type { DescFile, DescMessage, DescService } from "@bufbuild/protobuf";
import { toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";

/** Finds the descriptors of files by file name and by symbol. */
export class DescriptorIndex {
  readonly #files = new Map<string, DescFile>();
  readonly #symbols = new Map<string, DescFile>();
  readonly #messages = new Set<string>();

  /** Indexes the files and all that they import. */
  constructor(files: Iterable<DescFile>) {
    for (const file of files) this.#addFile(file);
  }

  /** The file of this name, such as `handrail/v1/tool_service.proto`. */
  file(name: string): DescFile | undefined {
    return this.#files.get(name);
  }

  /** The file that declares a package member, method, field, oneof or enum value by its full name. */
  fileOfSymbol(symbol: string): DescFile | undefined {
    return this.#symbols.get(symbol);
  }

  /** True if a message of this full name is declared. */
  hasMessage(typeName: string): boolean {
    return this.#messages.has(typeName);
  }

  #addFile(file: DescFile): void {
    const { name } = file.proto;
    if (this.#files.has(name)) return;
    this.#files.set(name, file);
    for (const dependency of file.dependencies) this.#addFile(dependency);
    for (const service of file.services) this.#addService(service);
    for (const message of file.messages) this.#addMessage(message);
    for (const { typeName, values } of file.enums) this.#addEnum(file, { typeName, values });
    for (const { typeName } of file.extensions) this.#symbols.set(typeName, file);
  }

  #addService({ file, typeName, methods }: DescService): void {
    this.#symbols.set(typeName, file);
    for (const { name } of methods) this.#symbols.set(`${typeName}.${name}`, file);
  }

  #addMessage(message: DescMessage): void {
    const { file, typeName } = message;
    this.#messages.add(typeName);
    this.#symbols.set(typeName, file);
    for (const { name } of [...message.fields, ...message.oneofs])
      this.#symbols.set(`${typeName}.${name}`, file);
    for (const nested of message.nestedMessages) this.#addMessage(nested);
    for (const nested of message.nestedEnums) this.#addEnum(file, nested);
    for (const { typeName: extension } of message.nestedExtensions) this.#symbols.set(extension, file);
  }

  #addEnum(
    file: DescFile,
    {
      typeName,
      values,
    }: { readonly typeName: string; readonly values: readonly { readonly name: string }[] },
  ): void {
    this.#symbols.set(typeName, file);
    const scope = typeName.slice(0, typeName.lastIndexOf(".") + 1);
    for (const { name } of values) this.#symbols.set(scope + name, file);
  }
}

/** The encoded FileDescriptorProto of a file and of all that it imports, the file itself first. */
export function encodeWithImports(file: DescFile): Uint8Array[] {
  const closure = new Set<DescFile>();
  const visit = (visited: DescFile): void => {
    if (closure.has(visited)) return;
    closure.add(visited);
    for (const dependency of visited.dependencies) visit(dependency);
  };
  visit(file);
  return [...closure].map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto));
}
