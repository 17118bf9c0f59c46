// The most that each operation may cost, in the service of check-budgets.ts: D1 + objects. `npm run bench:edge --
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
  "session create": { trips: "2+1", rows: "20+14", requests: "2+1" },
  "remember, new session": { trips: "3+1", rows: "58+24", requests: "12+4" },
  remember: { trips: "2+1", rows: "53+12", requests: "11+4" },
  "remember, same again": { trips: "4+1", rows: "9+10", requests: "10+3" },
  "remember, Idempotency-Key": { trips: "2+1", rows: "53+17", requests: "11+4" },
  "remember, no session": { trips: "2+0", rows: "45+4", requests: "11+3" },
  "add message": { trips: "1+1", rows: "28+19", requests: "14+4" },
  "add 20 messages": { trips: "1+1", rows: "300.5+119", requests: "14.25+4" },
  "recall text, session": { trips: "2+1", rows: "21.1+0.9", requests: "2.9+1.9" },
  "recall text, tenant": { trips: "2+0", rows: "20.4+0", requests: "3+0" },
  "recall hybrid, session": { trips: "4+2", rows: "28.2+1", requests: "5+4" },
  "recall hybrid, agent": { trips: "4+2", rows: "27.1+1", requests: "5+4" },
  "recall hybrid, tenant": { trips: "4+1", rows: "28.3+0", requests: "5+2" },
  "recall messages, session": { trips: "4+2", rows: "0+0", requests: "4.6+2.2" },
  "recall messages, agent": { trips: "4+1", rows: "0+0", requests: "4+1" },
  assemble: { trips: "4+2", rows: "70.4+1", requests: "5+3" },
  preflight: { trips: "6+2", rows: "35.6+0", requests: "8+2" },
  turn: { trips: "4+2", rows: "60.75+17", requests: "13+5" },
  "space op": { trips: "1+1", rows: "0+4", requests: "1+1" },
  "thread append": { trips: "1+1", rows: "0+3", requests: "1+1" },
  "context put": { trips: "1+1", rows: "0+4", requests: "1+1" },
  episode: { trips: "2+0", rows: "40+7", requests: "12+4" },
  prime: { trips: "7+1", rows: "41.9+0", requests: "7.7+2" },
  "MCP recall": { trips: "4+3", rows: "22+1", requests: "5+5" },
  forget: { trips: "3+1", rows: "17+4", requests: "12+4" },
  "GET memory": { trips: "2+0", rows: "0+0", requests: "4+0" },
  "GET session": { trips: "2+1", rows: "0+0", requests: "2+1" },
};
