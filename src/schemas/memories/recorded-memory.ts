// The memories of a history, with the times in which the service knew their states.

import { z } from "../common";
import { addExample } from "../examples";
import { MEMORY_VIEW_EXAMPLE, MemoryView } from "../memory";

export const MemoryVersionView = MemoryView.extend({
  recorded_at: z.string().meta({ description: "When the service stored this state" }),
  recorded_until: z.string().meta({ description: "When a change replaced this state" }),
}).openapi("MemoryVersion");

export const RecordedMemoryView = MemoryView.extend({
  recorded_at: z.string().meta({ description: "When the service stored the memory" }),
  ended_at: z.string().nullable().meta({
    description: "When it was superseded, forgotten or invalidated; null while it is live",
  }),
  versions: z.array(MemoryVersionView).meta({
    description: "Earlier states that changes in place have replaced, oldest first",
  }),
}).openapi("RecordedMemory");
export type RecordedMemoryView = z.infer<typeof RecordedMemoryView>;
addExample(RecordedMemoryView, {
  ...MEMORY_VIEW_EXAMPLE,
  recorded_at: MEMORY_VIEW_EXAMPLE.timestamp,
  ended_at: null,
  versions: [
    {
      ...MEMORY_VIEW_EXAMPLE,
      confidence: 0.7,
      recorded_at: MEMORY_VIEW_EXAMPLE.timestamp,
      recorded_until: "2026-11-16T09:09:30.000Z",
    },
  ],
});
