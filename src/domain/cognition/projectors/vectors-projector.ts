// Brings new messages to the vector index. The long-term store keeps them and feeds the index: all there is to do
// here is to say that there are some.
import type { Projector } from "../projector";

export const vectors: Projector = {
  name: "vectors",
  reads: ["message", "tool_result"],
  trigger: { tick: true, after: null },
  async project(_entries, context) {
    await context.indexMessages();
    return {};
  },
};
