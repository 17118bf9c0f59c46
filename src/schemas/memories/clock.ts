// The two clocks of calls that read memories: when something was known, and when it was true.
import { Time, z } from "../common";

export const Clock = z.object({
  as_of: Time.optional().meta({
    description: "What was known at this time: memories as they were then. A future time is now",
  }),
  valid_at: Time.optional().meta({
    description: "What was true at this time, also if it was superseded since",
  }),
});
