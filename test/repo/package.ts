// What others install, built anew as vitest's `globalSetup`, so that tests import it as others do.
import { buildPackage } from "../../scripts/lib/build-package";

export async function setup(): Promise<void> {
  await buildPackage();
}
