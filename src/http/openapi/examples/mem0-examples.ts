// What mem0's own clients send, and are answered.
import type { Examples } from "./example";

const ID = "cba7dc502ec791d8f32ae808fe6261bd";

const MEMORY = {
  id: ID,
  memory: "I prefer small commits.",
  user_id: "mia",
  agent_id: null,
  app_id: null,
  run_id: null,
  metadata: { topic: "commits" },
  categories: ["fact"],
  created_at: "2026-11-16T09:31:00.000Z",
  updated_at: "2026-11-16T09:31:00.000Z",
};

const ONLY_PAGE = { count: 1, next: null, previous: null };

export const mem0Examples: Examples = {
  "GET /mem0/v1/ping": { answer: { status: "ok" } },
  "POST /mem0/v3/memories/add": {
    body: {
      messages: [
        { role: "user", content: "I prefer small commits." },
        { role: "assistant", content: "I will keep them small." },
      ],
      user_id: "mia",
      metadata: { topic: "commits" },
    },
    answer: {
      status: "SUCCEEDED",
      message:
        "1 new memories. Sentences were chosen by fixed rules, without a language model; send infer false to keep each message as said.",
      results: [{ id: ID, memory: "I prefer small commits.", event: "ADD", categories: ["fact"] }],
    },
  },
  "POST /mem0/v3/memories/search": {
    body: { query: "How large should a commit be?", filters: { user_id: "mia" }, top_k: 3 },
    answer: { results: [{ ...MEMORY, score: 0.782 }] },
  },
  "POST /mem0/v3/memories": {
    body: { filters: { user_id: "mia" } },
    answer: { ...ONLY_PAGE, results: [MEMORY] },
  },
  "GET /mem0/v1/memories/{id}": { answer: MEMORY },
  "PUT /mem0/v1/memories/{id}": {
    body: { text: "I prefer small commits with a test." },
    answer: {
      ...MEMORY,
      memory: "I prefer small commits with a test.",
      updated_at: "2026-11-16T09:32:00.000Z",
    },
  },
  "GET /mem0/v1/entities": {
    answer: {
      ...ONLY_PAGE,
      results: [
        {
          id: "mia",
          name: "mia",
          type: "user",
          owner: "local",
          total_memories: 1,
          created_at: "2026-11-16T09:31:00.000Z",
          updated_at: "2026-11-16T09:32:00.000Z",
        },
      ],
    },
  },
  "DELETE /mem0/v1/memories/{id}": { answer: { message: "Memory deleted successfully!" } },
  "DELETE /mem0/v1/memories": {
    query: { user_id: "mia" },
    answer: { message: "Memories deleted successfully!" },
  },
  "DELETE /mem0/v2/entities/{type}/{name}": { answer: { message: "Entity deleted successfully!" } },
};
