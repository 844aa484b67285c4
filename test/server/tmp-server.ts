import { ToolService } from "../../gen/handrail/v1/tool_service_pb.js";
import { startServer } from "../../src/server/server.js";
import { anonymous } from "../../src/server/authenticate.js";
import { waitingTool } from "./serve-lite.js";
const log = { info: (...a:any)=>console.log(...a), warn: console.warn, error: console.error };
const tool = waitingTool();
await startServer({ host: "127.0.0.1", port: 7788, authenticate: anonymous(), allowedHosts: [], allowedOrigins: [], interceptors: [], log,
 routes: (r) => r.service(ToolService, { listTools: () => ({ etag: "e" }), executeTool: tool.executeTool }) });
setInterval(() => console.log("alive", tool.calls.length, process.memoryUsage.rss()>>20), 1000);
