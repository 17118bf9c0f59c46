// A project's own projectors. To add one: write a Projector (see ../projector.ts) in a file beside this one,
// with a name of its own, and list it here. It then runs by its trigger and on demand, and is listed with the others.
// Change only what it made itself: mark that with `source`, as the built-in ones do.
import type { Projector } from "../projector";

export const CUSTOM_PROJECTORS: readonly Projector[] = [];
