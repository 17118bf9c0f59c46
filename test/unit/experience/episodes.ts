// Episodes for tests: a builder with defaults, and three days of a coding agent.
import type { Action, Episode, EpisodeError } from "../../../src/experience/episodes/episode-schemas";
import { newEpisode } from "../../fakes/records";

type Parts = Partial<Omit<Episode, "context">> & { goal?: string; context?: Partial<Episode["context"]> };

export function episode(id: string, { goal = `Goal of ${id}`, context, ...parts }: Parts = {}): Episode {
  return newEpisode({ id, project_id: "shop", agent: "eng-1", context: { goal, ...context }, ...parts });
}

export function error(type: string, message = "", resolution: string | null = null): EpisodeError {
  return { type, message, resolution };
}

/** Parses lines such as "read_file openapi.yaml" into actions with targets. */
export function log(...steps: string[]): Action[] {
  return steps.map((step, t) => {
    const [action = "", ...target] = step.split(" ");
    return target.length === 0 ? { t, action } : { t, action, target: target.join(" ") };
  });
}

type Told = [id: string, time: string, outcome: Episode["outcome"], goal: string, parts: Omit<Parts, "goal">];

const NO_RETURN_TYPE = "Missing return type annotation";
const VOID = "Added explicit :void to route handler";

function endpoint(resource: string, ...steps: string[]): Omit<Parts, "goal"> {
  const files = [`src/routes/${resource}.ts`, `src/db/${resource}.ts`];
  return {
    context: { phase: "development", constraints: ["No third-party deps"], files_involved: files },
    action_log: log(...steps),
    artifacts_produced: [`src/routes/${resource}.ts`, `tests/${resource}.test.ts`],
  };
}

function migration(name: string, ...steps: string[]): Omit<Parts, "goal"> {
  return {
    context: { phase: "development", files_involved: [`migrations/${name}.sql`] },
    action_log: log(...steps),
    artifacts_produced: [`migrations/${name}.sql`],
  };
}

const TOLD: Told[] = [
  [
    "ep-01",
    "2026-01-05T09:00",
    "success",
    "Implement POST /api/todos endpoint",
    {
      ...endpoint(
        "todos",
        "read_file openapi.yaml",
        "write_file src/routes/todos.ts",
        "run_test",
        "edit_file src/routes/todos.ts",
        "run_test",
      ),
      errors_encountered: [error("TypeScript compilation", NO_RETURN_TYPE, VOID)],
    },
  ],
  [
    "ep-02",
    "2026-01-05T10:00",
    "success",
    "Implement POST /api/users endpoint",
    {
      ...endpoint(
        "users",
        "read_file openapi.yaml",
        "read_file src/routes/todos.ts",
        "write_file src/routes/users.ts",
        "run_test",
        "edit_file src/routes/users.ts",
        "run_test",
        "edit_file src/routes/users.ts",
        "run_test",
      ),
      errors_encountered: [
        error("TypeScript compilation", "Missing return type annotation.", VOID),
        error("Schema mismatch", "email is required in the spec", "Regenerated the types from the spec"),
      ],
    },
  ],
  [
    "ep-03",
    "2026-01-05T11:00",
    "failure",
    "Implement POST /api/invoices endpoint",
    {
      ...endpoint(
        "invoices",
        "write_file src/routes/invoices.ts",
        "run_test",
        "edit_file src/routes/invoices.ts",
      ),
      errors_encountered: [error("TypeScript compilation", NO_RETURN_TYPE)],
    },
  ],
  [
    "ep-04",
    "2026-01-05T12:00",
    "success",
    "Implement GET /api/todos endpoint",
    endpoint("todos", "read_file openapi.yaml", "edit_file src/routes/todos.ts", "run_test"),
  ],
  [
    "ep-05",
    "2026-01-05T13:00",
    "success",
    "Implement POST /api/orders endpoint with validation",
    endpoint("orders", "read_file openapi.yaml", "write_file src/routes/orders.ts", "run_test"),
  ],
  [
    "ep-06",
    "2026-01-05T14:00",
    "success",
    "Fix the flaky login test",
    {
      context: { phase: "testing", files_involved: ["tests/login.test.ts"] },
      action_log: log(
        "run_test tests/login.test.ts",
        "read_file tests/login.test.ts",
        "edit_file tests/login.test.ts",
        "run_test tests/login.test.ts",
      ),
      errors_encountered: [
        error("Timeout", "The form was not there after 5000 ms", "Waited for the form to be visible"),
      ],
    },
  ],
  [
    "ep-07",
    "2026-01-05T15:00",
    "success",
    "Fix flaky checkout test",
    {
      context: { phase: "testing", files_involved: ["tests/checkout.test.ts"] },
      action_log: log(
        "run_test tests/checkout.test.ts",
        "read_file src/checkout.ts",
        "edit_file tests/checkout.test.ts",
        "run_test tests/checkout.test.ts",
      ),
      errors_encountered: [
        error("Timeout", "The button was not there after 5000 ms", "Waited for the form to be visible"),
      ],
    },
  ],
  [
    "ep-08",
    "2026-01-05T16:00",
    "partial",
    "Fix the flaky search integration test",
    {
      context: { phase: "testing", files_involved: ["tests/search.test.ts"] },
      action_log: log("run_test tests/search.test.ts", "edit_file tests/search.test.ts"),
      errors_encountered: [error("Timeout", "The index was not ready", null)],
    },
  ],
  [
    "ep-09",
    "2026-01-05T17:00",
    "failure",
    "Fix the flaky payment test",
    {
      context: { phase: "testing", files_involved: ["tests/payment.test.ts"] },
      action_log: log("edit_file tests/payment.test.ts", "run_test tests/payment.test.ts"),
      errors_encountered: [error("Timeout", "The sandbox did not answer", null)],
    },
  ],
  [
    "ep-10",
    "2026-01-06T09:00",
    "success",
    "Add a migration for the orders table",
    migration(
      "0004_orders",
      "read_file docs/schema.md",
      "write_file migrations/0004_orders.sql",
      "run_migration staging",
      "run_test",
    ),
  ],
  [
    "ep-11",
    "2026-01-06T10:00",
    "failure",
    "Add a migration for the invoices table",
    {
      ...migration("0005_invoices", "write_file migrations/0005_invoices.sql", "run_migration production"),
      errors_encountered: [
        error("Lock timeout", "canceling statement due to lock timeout", "Created the index concurrently"),
      ],
    },
  ],
  [
    "ep-12",
    "2026-01-06T11:00",
    "success",
    "Add migration for the sessions table",
    migration(
      "0006_sessions",
      "read_file docs/schema.md",
      "write_file migrations/0006_sessions.sql",
      "run_migration staging",
      "run_test",
      "run_migration production",
    ),
  ],
  [
    "ep-13",
    "2026-01-06T12:00",
    "failure",
    "Add a migration for the payments table",
    {
      ...migration(
        "0007_payments",
        "read_file docs/schema.md",
        "write_file migrations/0007_payments.sql",
        "run_migration production",
      ),
      errors_encountered: [
        error("lock timeout", "canceling statement due to lock timeout", "Created the index concurrently"),
      ],
    },
  ],
  [
    "ep-14",
    "2026-01-06T13:00",
    "success",
    "Deploy the api to staging",
    {
      context: { phase: "release" },
      action_log: log("run_build", "run_test", "deploy staging", "check_health"),
    },
  ],
  [
    "ep-15",
    "2026-01-06T14:00",
    "success",
    "Deploy the api to production",
    {
      context: { phase: "release" },
      action_log: log("run_build", "run_test", "deploy production", "check_health"),
    },
  ],
  [
    "ep-16",
    "2026-01-06T15:00",
    "failure",
    "Deploy api to production",
    {
      context: { phase: "release" },
      action_log: log("run_build", "deploy production", "check_health", "rollback"),
      errors_encountered: [error("Health check", "503 from /health", "Rolled back to the last release")],
    },
  ],
  [
    "ep-17",
    "2026-01-06T16:00",
    "success",
    "Deploy the web app to staging",
    { context: { phase: "release" }, action_log: log("run_build", "deploy staging") },
  ],
  [
    "ep-18",
    "2026-01-07T09:00",
    "success",
    "Update the README with the new commands",
    { artifacts_produced: ["README.md"] },
  ],
  [
    "ep-19",
    "2026-01-07T10:00",
    "partial",
    "Investigate the memory leak in the indexer",
    { action_log: log("take_heap_snapshot", "read_file src/indexer.ts") },
  ],
  [
    "ep-20",
    "2026-01-07T11:00",
    "failure",
    "Upgrade the test runner to the next major version",
    {
      errors_encountered: [error("Peer dependency conflict", "The plugin asks for the former version", null)],
    },
  ],
];

/** Twenty episodes sorted by time: endpoints, flaky tests, migrations, deploys, and three others. */
export const CODING_AGENT: readonly Episode[] = TOLD.map(([id, time, outcome, goal, parts]) =>
  episode(id, { timestamp: `${time}:00.000Z`, outcome, goal, ...parts }),
);
