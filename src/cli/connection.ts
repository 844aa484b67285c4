import { createClient } from "@connectrpc/connect";
import type { Client, Interceptor } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import type { DescService } from "@bufbuild/protobuf";
import { Option } from "commander";
import type { Command } from "commander";
import { DEFAULT_PORT } from "../config/server-config.js";

/** Where the service is and who calls. */
export interface ConnectionFlags {
  readonly url: string;
  readonly token?: string;
}

/** The same, with a project. */
export interface ProjectFlags extends ConnectionFlags {
  readonly project: string;
}

/** Adds --url and --token. */
export function addConnectionOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--url <url>", "address of the service")
        .env("HANDRAIL_URL")
        .default(`http://127.0.0.1:${DEFAULT_PORT}`),
    )
    .addOption(new Option("--token <token>", "bearer token").env("HANDRAIL_TOKEN"));
}

/** Adds --url, --token and --project. */
export function addProjectOptions(command: Command): Command {
  return addConnectionOptions(command).addOption(
    new Option("--project <id>", "project").env("HANDRAIL_PROJECT").default("default"),
  );
}

/** A client of one service of the contract. */
export function clientOf<S extends DescService>(service: S, { url, token }: ConnectionFlags): Client<S> {
  return createClient(service, createGrpcTransport({ baseUrl: url, interceptors: credentials(token) }));
}

function credentials(token: string | undefined): Interceptor[] {
  if (token === undefined) return [];
  return [
    (next) => (request) => {
      request.header.set("authorization", `Bearer ${token}`);
      return next(request);
    },
  ];
}
