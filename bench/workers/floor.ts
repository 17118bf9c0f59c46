// The cost of the platform itself: the least a Worker can do with a route, with D1 and with a Durable Object.
// The service is compared with it, in the same run on the same machine.
import { DurableObject } from "cloudflare:workers";
import { Hono } from "hono";

type Bindings = { DB: D1Database; OBJECTS: DurableObjectNamespace<FloorObject> };
type Note = { id: string; text: string };

const ROWS = 10_000;

const SCHEMA = [
  "CREATE TABLE notes (id TEXT PRIMARY KEY, text TEXT NOT NULL, created_at TEXT NOT NULL)",
  "CREATE INDEX notes_by_time ON notes (created_at)",
  "CREATE TABLE changes (id TEXT PRIMARY KEY, note TEXT NOT NULL, created_at TEXT NOT NULL)",
];

export class FloorObject extends DurableObject<Bindings> {
  constructor(state: DurableObjectState, env: Bindings) {
    super(state, env);
    state.storage.sql.exec("CREATE TABLE IF NOT EXISTS notes (id TEXT PRIMARY KEY, text TEXT NOT NULL)");
  }

  write({ id, text }: Note): { written: number } {
    const { sql } = this.ctx.storage;
    return { written: sql.exec("INSERT INTO notes (id, text) VALUES (?, ?)", id, text).rowsWritten };
  }
}

const app = new Hono<{ Bindings: Bindings }>();

app.get("/route", (c) => c.json({ ok: true }));

app.get("/d1/:id", async (c) => {
  const statement = c.env.DB.prepare("SELECT id, text, created_at FROM notes WHERE id = ?");
  return c.json(await statement.bind(c.req.param("id")).first());
});

app.post("/d1", async (c) => {
  const { id, text } = await c.req.json<Note>();
  const now = new Date().toISOString();
  await c.env.DB.batch([
    c.env.DB.prepare("INSERT INTO notes (id, text, created_at) VALUES (?, ?, ?)").bind(id, text, now),
    c.env.DB.prepare("INSERT INTO changes (id, note, created_at) VALUES (?, ?, ?)").bind(id, id, now),
  ]);
  return c.json({ id }, 201);
});

app.post("/object", async (c) => {
  const object = c.env.OBJECTS.getByName("floor");
  return c.json(await object.write(await c.req.json<Note>()), 201);
});

/** Creates the tables, with as many rows as the usual size of the service. */
app.post("/prepare", async (c) => {
  await c.env.DB.batch([
    ...SCHEMA.map((sql) => c.env.DB.prepare(sql)),
    c.env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
      INSERT INTO notes SELECT 'note-' || i, 'The user prefers answer ' || i || ' over the others', '2026-01-01' FROM n`,
    ).bind(ROWS - 1),
  ]);
  return c.json({ rows: ROWS }, 201);
});

export default app;
