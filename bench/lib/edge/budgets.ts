// The most that each operation may cost, in the service of check-budgets.ts: D1 + objects. `npm run bench edge --
// --budgets` prints the table as it is now. A figure is raised only with a reason in the commit that raises it.

export interface EdgeBudget {
  /** Trips on the answer's path. */
  trips: string;
  /** Rows written by a call, with everything that follows from it. */
  rows: string;
  /** Requests to D1 and to objects, alarms among them. */
  requests: string;
}

export const EDGE_BUDGETS: Readonly<Record<string, EdgeBudget>> = {
  "session create": { trips: "1+1", rows: "14+10", requests: "1+1" },
  "remember, new session": { trips: "2+1", rows: "28+16", requests: "4+4" },
  remember: { trips: "1+1", rows: "25+7", requests: "4+4" },
  "remember, same again": { trips: "2+1", rows: "3+4", requests: "3+3" },
  "remember, Idempotency-Key": { trips: "1+1", rows: "25+8", requests: "4+4" },
  "remember, no session": { trips: "1+0", rows: "19+3", requests: "3+3" },
  "add message": { trips: "1+1", rows: "15+6", requests: "2+3" },
  "add 20 messages": { trips: "0+1", rows: "216+70", requests: "4+4" },
  "recall text, session": { trips: "1+0", rows: "0+1", requests: "1+3" },
  "recall text, tenant": { trips: "1+0", rows: "0+1", requests: "1+1" },
  "recall hybrid, session": { trips: "2+0", rows: "0+1", requests: "3+5" },
  "recall hybrid, agent": { trips: "2+0", rows: "0+1", requests: "3+5" },
  "recall hybrid, tenant": { trips: "2+0", rows: "0+1", requests: "3+3" },
  "recall messages, session": { trips: "2+0", rows: "0+0", requests: "3+3" },
  "recall messages, agent": { trips: "2+0", rows: "0+0", requests: "3+1" },
  assemble: { trips: "2+1", rows: "0+1", requests: "3+4" },
  preflight: { trips: "2+0", rows: "0+1", requests: "4+3" },
  turn: { trips: "1+1", rows: "29+9", requests: "4+4" },
  "space op": { trips: "0+1", rows: "0+2", requests: "0+1" },
  "thread append": { trips: "0+1", rows: "0+1", requests: "0+1" },
  "context put": { trips: "0+1", rows: "0+2", requests: "0+1" },
  episode: { trips: "1+0", rows: "21+6", requests: "3+4" },
  prime: { trips: "2+0", rows: "1+1", requests: "4+3" },
  "MCP recall": { trips: "3+1", rows: "0+1", requests: "3+6" },
  forget: { trips: "1+0", rows: "8+3", requests: "3+3" },
  "GET memory": { trips: "1+0", rows: "0+0", requests: "3+1" },
  "GET session": { trips: "1+1", rows: "0+0", requests: "1+1" },
};
