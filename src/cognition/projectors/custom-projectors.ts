// Custom projectors of a deployment. To add one, write a Projector (see projector.ts) with a unique name in a file
// beside this one and list it here: it then runs by its trigger and on demand, and appears in the list of projectors.
// A projector should change only values that it wrote, marked with `source` as the built-in projectors do.
import type { Projector } from "./projector";

export const CUSTOM_PROJECTORS: readonly Projector[] = [];
