// What the agent wants to do.
import type { Examples } from "./example";

const TASK = { id: "guest-test", text: "Write a test for the guest checkout", status: "open" };

export const taskExamples: Examples = {
  "POST /v1/sessions/{id}/tasks": {
    body: { id: "guest-test", text: "Write a test for the guest checkout", index: 0 },
    answer: TASK,
  },
  "PUT /v1/sessions/{id}/tasks/order": { body: { ids: ["guest-test"] }, answer: { data: [TASK] } },
  "GET /v1/sessions/{id}/tasks": { answer: { data: [TASK], next_cursor: null } },
  "GET /v1/sessions/{id}/tasks/next": { answer: TASK },
  "POST /v1/sessions/{id}/tasks/{task_id}/complete": { body: {}, answer: { ...TASK, status: "done" } },
  "DELETE /v1/sessions/{id}/tasks/{task_id}": {},
};
