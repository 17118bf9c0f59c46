// A memory is stored masked, and its session keeps what was said: its erasure finds the unmasked text as well.
import { expect, it } from "vitest";
import { ADMIN_KEY, callWith, freshId, newClient } from "../support";
import { readObject, send } from "./support";

const TOKEN = "ghp_Qm3vT8wZr1XyLk5NbC7dJf0HsGaPeUo2Ri4W";
const TEXT = `The release bot logs in with ${TOKEN} on Fridays`;

it("an unmasked text leaves the thread of the memory's session, and what stands around it stays", async () => {
  const client = await newClient();
  const id = freshId("session");
  const path = `/v1/sessions/${id}`;
  await send(client, "POST", "/v1/sessions", { id });
  const { memory_id } = await send(client, "POST", `${path}/remember`, { content: TEXT, type: "fact" });
  await send(client, "POST", `${path}/thread`, {
    entries: [
      { kind: "note", payload: { said: `Ada: ${TEXT}. Bo: fine.` } },
      { kind: "tool_result", payload: { output: JSON.stringify({ text: TEXT, by: "Ada" }) } },
      { kind: "note", payload: "The release bot logs in with a key on Fridays" },
    ],
  });
  expect(await readObject(client.tenant, id)).toContain(TOKEN);
  expect((await client.call("DELETE", `/v1/memories/${memory_id}`)).status).toBe(200);
  expect(await readObject(client.tenant, id)).not.toContain(TOKEN);
  const { data } = (await client.call("GET", `${path}/thread`)).body;
  expect(data.map(({ payload }: { payload: unknown }) => payload)).toEqual([
    { said: "Ada: [erased]. Bo: fine." },
    { output: JSON.stringify({ text: "[erased]", by: "Ada" }) },
    "The release bot logs in with a key on Fridays",
  ]);
});

it("a text that was stored under another policy leaves spaces, items and candidates", async () => {
  const client = await newClient();
  const { body: admin } = await callWith(ADMIN_KEY, "POST", "/v1/keys", {
    ...{ tenant: client.tenant, scopes: ["read", "write", "admin"] },
  });
  const setRule = (email: string) => callWith(admin.key, "PUT", "/v1/privacy", { personal_data: { email } });
  const id = freshId("session");
  const path = `/v1/sessions/${id}`;
  const text = "Mia answers mail at mia@example.org every evening";
  await send(client, "POST", "/v1/sessions", { id });
  await send(client, "PUT", `${path}/spaces/notes`, { data: { seen: `Note: ${text}`, other: "stays" } });
  await send(client, "PUT", `${path}/spaces/rest`, { data: { seen: "Mia answers mail at noon" } });
  await send(client, "POST", `${path}/pending`, {
    content: text,
    memory_type: "fact",
    importance_score: 0.1,
  });
  await setRule("mask");
  const masked = await send(client, "POST", `${path}/remember`, { content: text, type: "fact" });
  expect(masked.masked).toEqual([expect.objectContaining({ kind: "email" })]);
  expect((await client.call("DELETE", `/v1/memories/${masked.memory_id}`)).status).toBe(200);
  expect(await readObject(client.tenant, id)).not.toContain("mia@example.org");
  const { data } = (await client.call("GET", `${path}/spaces/notes`)).body;
  expect(data).toEqual({ seen: "Note: [erased]", other: "stays" });
  // A space without the text keeps its revision, although it begins with the same words.
  expect((await client.call("GET", `${path}/spaces/rest`)).body.rev).toBe(1);
  expect((await client.call("GET", `${path}/pending`)).body.data).toEqual([]);

  await send(client, "PUT", `${path}/spaces/notes`, { data: { seen: text } });
  await setRule("allow");
  const open = await send(client, "POST", `${path}/remember`, { content: text, type: "fact" });
  expect((await client.call("DELETE", `/v1/memories/${open.memory_id}`)).status).toBe(200);
  expect((await client.call("GET", `${path}/spaces/notes`)).body.data).toEqual({ seen: "[erased]" });
});
