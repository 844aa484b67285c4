import type { ClientSessionOptions } from "node:http2";

/** Most bytes of one encoded message, in either direction: 4 MiB. */
export const maxMessageBytes = 4 * 1024 * 1024;

/** Most bytes that one stream may have under way without being read: 1 MiB. */
export const streamWindowBytes = 1024 * 1024;

/** Most bytes that all streams of a channel together may have in the pipe: 4 MiB. */
export const channelWindowBytes = 4 * 1024 * 1024;

/** Most streams that are open at the same time on one channel, the one for cancellations included. */
export const maxConcurrentStreams = 1024;

/** HTTP/2 options of both ends of a channel. */
export const sessionOptions = {
  maxSessionMemory: 256,
  peerMaxConcurrentStreams: maxConcurrentStreams,
  settings: {
    enablePush: false,
    initialWindowSize: streamWindowBytes,
    maxConcurrentStreams,
    maxFrameSize: 64 * 1024,
  },
} satisfies ClientSessionOptions;
