// What a coding agent does in a month: themes that come back in other words, errors that come back with them, and
// things that it does once. Goals of one theme mean nearly the same, those of two do not.

export type Fault = { type: string; messages: string[]; resolutions: string[] };
export type Theme = { phase: string; goals: string[]; subjects: string[]; files: string; fault?: Fault };

/** `_` is what this one is about. */
export const THEMES: Record<string, Theme> = {
  endpoints: {
    phase: "development",
    goals: [
      "Implement the POST /api/_ REST endpoint with request validation",
      "Implement a new POST /api/_ REST endpoint with request validation",
      "Implement POST /api/_ as a REST endpoint with request validation",
    ],
    subjects: ["todos", "orders", "invoices", "coupons", "carts", "refunds", "addresses", "wishlists"],
    files: "src/routes/_.ts",
    fault: {
      type: "TypeScript compilation",
      messages: ["Missing return type annotation", "Handler has no return type in strict mode"],
      resolutions: ["Give every route handler an explicit return type"],
    },
  },
  migrations: {
    phase: "development",
    goals: [
      "Write a database migration that adds a column to the _ table",
      "Write the database migration that adds another column to the _ table",
      "Write a migration of the database that adds a new column to the _ table",
    ],
    subjects: ["users", "orders", "invoices", "products", "sessions", "accounts", "shipments"],
    files: "migrations/_.sql",
    fault: {
      type: "Database deadlock",
      messages: ["Deadlock found when the table was locked", "Deadlock: the migration waited for a lock"],
      resolutions: ["Take the locks in one order and keep the transaction short"],
    },
  },
  tests: {
    phase: "testing",
    goals: [
      "Cover the _ module with unit tests until coverage is at ninety percent",
      "Cover the whole _ module with unit tests until coverage is at ninety percent",
      "Cover the _ module with more unit tests until coverage is at ninety percent",
    ],
    subjects: ["cart", "price", "login", "mail", "stock", "report"],
    files: "test/_.test.ts",
    fault: {
      type: "Test timeout",
      messages: ["A test did not end within 5000 ms", "The suite hung on a promise that nobody awaited"],
      resolutions: ["Await every promise and use a fake clock"],
    },
  },
  upgrades: {
    phase: "maintenance",
    goals: [
      "Upgrade the npm dependency _ to its latest major version",
      "Upgrade npm dependency _ to the latest major version",
      "Upgrade the _ npm dependency to the latest major version",
    ],
    subjects: ["hono", "zod", "vite", "esbuild", "vitest", "drizzle", "eslint", "prettier"],
    files: "package.json",
    fault: {
      type: "Peer dependency conflict",
      messages: ["ERESOLVE: unable to resolve the dependency tree", "Two versions of one peer dependency"],
      resolutions: ["Upgrade the packages that share a peer together"],
    },
  },
  guides: {
    phase: "documentation",
    goals: [
      "Describe the _ command of the command line tool in the user guide",
      "Describe the _ command of the command line tool in our user guide",
      "Describe in the user guide the _ command of the command line tool",
    ],
    subjects: ["start", "build", "export", "import", "login", "status", "rollback", "search"],
    files: "docs/_.md",
  },
  refactorings: {
    phase: "refactoring",
    goals: [
      "Replace inheritance with plain functions in the old _ service class hierarchy",
      "Replace the inheritance with plain functions in the old _ service class hierarchy",
      "Replace all inheritance with plain functions in the old _ service class hierarchy",
    ],
    subjects: ["billing", "pricing", "payment", "invoice", "order", "customer", "refund", "discount"],
    files: "src/services/_.ts",
  },
  releases: {
    phase: "operations",
    goals: [
      "Deploy release _ to the staging cluster and watch the rollout",
      "Deploy the release _ to the staging cluster and watch its rollout",
      "Deploy release _ to the staging cluster, then watch the rollout",
    ],
    subjects: ["1.4", "1.5", "1.6", "2.0", "2.1", "2.2", "3.0", "3.1"],
    files: "deploy/_.yaml",
    fault: {
      type: "Failed health check",
      messages: ["The new pods never became ready", "Health check answered 503 until the rollout stopped"],
      resolutions: ["Warm the cache before the health check is asked"],
    },
  },
  // Done on one day only: there is never more evidence than that day's.
  signing: {
    phase: "security",
    goals: ["Rotate the signing key of the _ webhook sender"],
    subjects: ["partner", "customer"],
    files: "src/webhooks/_.ts",
  },
};

/** An error of which there is a single failed episode. */
export const RARE: Fault = {
  type: "Missing environment variable",
  messages: ["DATABASE_URL is not set"],
  resolutions: ["Check the environment before the service starts"],
};

/** An error that was met and overcome: it never made an episode fail. */
export const OVERCOME: Fault = {
  type: "Flaky network",
  messages: ["The registry did not answer at first"],
  resolutions: ["Tried again a minute later"],
};

export const ONE_OFFS = [
  "Draw an architecture diagram for the board meeting",
  "Translate the onboarding emails into Japanese",
  "Find out why the coffee machine bot posts every joke twice",
  "Estimate what moving to another cloud region would cost",
  "Answer the insurance company's security questionnaire",
  "Prepare a talk about garbage collection for the meetup",
  "Shrink the hero video on the landing page",
  "Interview three customers about offline mode",
  "Set up the printer in the new office",
  "Choose a font that reads well in dark mode",
];
