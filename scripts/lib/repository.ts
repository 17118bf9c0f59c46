// The repository's root folder, from which scripts and benchmarks resolve their paths.
import { join } from "node:path";

export const root = join(import.meta.dirname, "../..");
