// What a caller is told of a defect: nothing but the id under which it was logged.
import { describeDefect, type Failure, fail } from "../platform/errors";

export function reportDefect(error: unknown, requestId: string): Failure {
  console.error(JSON.stringify({ event: "request.error", request_id: requestId, ...describeDefect(error) }));
  return fail("internal", `Something failed here. Give request id ${requestId} to whoever runs this service.`)
    .failure;
}
