import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { AgentService } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { channelPair } from "./channel-pair.js";

it("a stream hands on all that came before its end though the caller takes it slowly", async () => {
  const { client } = await channelPair({
    async run(_requests, respond) {
      await respond({ event: { case: "stdout", value: Buffer.from("out") } });
      await respond({ event: { case: "stderr", value: Buffer.from("err") } });
      await respond({ event: { case: "exit", value: {} } });
    },
  });
  const got: unknown[] = [];
  const stream = client.stream(AgentService.method.run, {
    signal: new AbortController().signal,
    async onResponse({ event }) {
      got.push(event.case);
      await sleep(100);
    },
  });
  stream.end();
  await stream.done;
  expect(got).toEqual(["stdout", "stderr", "exit"]);
});
