import type { Result } from "../../gen/handrail/v1/result_pb.js";

/** What a loop knows of one of its calls. */
export interface CallRecord {
  readonly callId: string;
  readonly projectId: string;
  /** Every result that the loop was given, by whichever RPC. */
  readonly results: Result[];
  /** How often the call was sent. */
  sends: number;
}
