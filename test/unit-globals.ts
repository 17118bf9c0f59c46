// Globals of workerd that plain Node keeps in a module.
import { scheduler } from "node:timers/promises";

Object.assign(globalThis, { scheduler });
