// Globals of workerd that Node exports from a module.
import { scheduler } from "node:timers/promises";

Object.assign(globalThis, { scheduler });
