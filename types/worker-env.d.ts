import type { D1Migration } from "@cloudflare/vitest-plugin";
import type { Bindings } from "../src/kernel/env";

declare global {
  namespace Cloudflare {
    interface Env extends Bindings {
      /** Only under test: the migrations, read by vitest.config.ts. */
      TEST_MIGRATIONS: D1Migration[];
      /** Only under test: a second database, which a test binds as `DB_1`. */
      SPARE_DB: D1Database;
      /** Only under test: the replica of test/fakes/lagging-d1.ts. */
      REPLICA_DB: D1Database;
    }
    interface GlobalProps {
      mainModule: typeof import("../src/index");
    }
  }
}

declare module "vitest" {
  interface ProvidedContext {
    /** The seed of the property tests, read by vitest.config.ts. */
    propertySeed: number;
    /** The service given by KIOKU_TEST_URL; null if there is none. */
    outsideService: { url: string; adminKey: string } | null;
    /** The server that the files over HTTP share. */
    sharedServer: { url: string; adminKey: string };
    /** Whether every case is tried, read by vitest.config.ts. */
    fullRun: boolean;
  }
}
