// Today's conversation for the pictures of the console: a customer who corrects herself, and what the agent kept of it.
import type { DemoCall } from "./demo-month.ts";

const SESSION = "support-desk";

/** Returns the id of the session, and that of a memory with a source, a predecessor and a conclusion. */
export async function holdDemoConversation(call: DemoCall): Promise<{ session: string; memory: string }> {
  const send = (path: string, body: object) => call("POST", `/v1/sessions/${SESSION}${path}`, body);
  const say = (role: string, content: string) =>
    send("/messages", { messages: [{ role, content, ...(role === "user" ? { name: "mia" } : {}) }] });
  await call("POST", "/v1/sessions/first-visit/messages", {
    user_id: "mia",
    agent_id: "ada",
    project_id: "shop",
    messages: [{ role: "user", name: "mia", content: "I live in Lisbon." }],
  });
  await call("POST", "/v1/sessions/first-visit/promote", {});
  await call("POST", "/v1/sessions", {
    id: SESSION,
    user_id: "mia",
    agent_id: "ada",
    project_id: "shop",
    promotion: { interval_ms: 600_000 },
    token_budget: { total: 1_000, conversation: 400, context: 300 },
  });
  await say("user", "I live in Porto now. I am allergic to wool.");
  await say("assistant", "Noted. Shall we send the cargo bike to the new address?");
  await send("/promote", {});
  const memory = await findPromoted(call, /Porto/);
  await call("POST", "/v1/remember", {
    user_id: "mia",
    agent_id: "ada",
    content: "Deliver Mia's cargo bike from the Porto warehouse",
    type: "plan",
    evidence: [memory],
  });
  await say("user", "Yes please. I work from home on Fridays, so deliver it on a Friday.");
  await say("tool", '{"order":1042,"warehouse":"Porto","free_slots":["Fri 10:00","Fri 15:00"]}');
  await say("assistant", "Friday at 10:00 is booked.");
  await send("/pending", {
    content: "Order 1042 is delivered on Friday at 10:00",
    memory_type: "fact",
    confidence: 0.95,
  });
  await call("PUT", `/v1/sessions/${SESSION}/context/current_task`, {
    value: "Deliver order 1042 to Porto",
    source: "tool",
    confidence: 0.95,
  });
  await send("/tasks", { text: "Tell the warehouse to attach the child seat" });
  for (const query of ["Where does Mia live?", "Which tyres did Ben order?", "Who signs a refund?"])
    await call("POST", "/v1/recall", { scope: "tenant", query });
  return { session: SESSION, memory };
}

async function findPromoted(call: DemoCall, text: RegExp): Promise<string> {
  const { data } = await call("GET", `/v1/memories?session_id=${SESSION}`);
  const found = (data as { id: string; content: string }[]).find(({ content }) => text.test(content));
  if (found === undefined) throw new Error(`No memory of the conversation matches ${text}`);
  return found.id;
}
