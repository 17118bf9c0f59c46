// The calls of policies and turns that most tests begin with, each expected to succeed.
import { allPages, newSession } from "../support/actions";
import { type Client, fresh } from "../support/client";
import type { Entry, Policy, Preflight, Turn } from "../support/contract";
import { bodyOf } from "../support/expectations";

type Fields = Record<string, unknown>;

export const DEFAULTS: Policy = {
  enabled: true,
  scope: "agent",
  namespace: null,
  capture: "manual",
  inject: "instructions",
  max_entries: 5,
  metadata: {},
  experience: false,
};

export async function setPolicy(api: Client, agent: string, policy: boolean | Fields): Promise<Policy> {
  return bodyOf(await api.put<Policy>(`/v1/agents/${agent}/policy`, policy), 200);
}

export async function readPolicy(api: Client, agent: string): Promise<Policy> {
  return bodyOf(await api.get<Policy>(`/v1/agents/${agent}/policy`), 200);
}

/** A new agent with this policy, and a session of it. */
export async function agentWith(
  api: Client,
  policy: boolean | Fields = true,
): Promise<{ agent: string; session: string }> {
  const agent = fresh("agent");
  await setPolicy(api, agent, policy);
  return { agent, session: (await newSession(api, { agent_id: agent })).id };
}

/** Writes an entry for the agent, by hand. */
export async function note(api: Client, agent: string, content: string, more: Fields = {}): Promise<Entry> {
  return bodyOf(await api.post<Entry>("/v1/entries", { agent_id: agent, content, ...more }), 201);
}

export async function preflight(api: Client, session: string, body: Fields = {}): Promise<Preflight> {
  return bodyOf(
    await api.post<Preflight>(`/v1/sessions/${session}/preflight`, { input: "hello", ...body }),
    200,
  );
}

export async function takeTurn(
  api: Client,
  session: string,
  input: string,
  output: string,
  more: Fields = {},
): Promise<Turn> {
  return bodyOf(await api.post<Turn>(`/v1/sessions/${session}/turns`, { input, output, ...more }), 200);
}

export function entriesPath(namespace: string): string {
  return `/v1/entries?namespace=${encodeURIComponent(namespace)}`;
}

export function entriesOf(api: Client, namespace: string): Promise<Entry[]> {
  return allPages<Entry>(api, entriesPath(namespace));
}

/** All that the model is told before the user speaks. */
export function systemText({ messages }: Preflight): string {
  return messages
    .filter(({ role }) => role === "system")
    .map(({ content }) => content)
    .join("\n");
}

export function occurrences(text: string, part: string): number {
  return text.split(part).length - 1;
}
