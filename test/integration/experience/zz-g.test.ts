import { env } from "cloudflare:workers";
import { it } from "vitest";
import { lifted } from "../../../src/experience/decay";
import { openDatabase } from "../../../src/long-term/database";
import { noteUses } from "../../../src/long-term/uses";
import { newExperience } from "./support";

it("time", { timeout: 60_000 }, async () => {
  const home = await newExperience();
  const episodes = await Promise.all(Array.from({ length: 5 }, (_, n) => home.tell(`Goal ${n}`)));
  const memories = await Promise.all(Array.from({ length: 15 }, (_, n) => home.state(`Rule ${n}`)));
  const db = openDatabase(env.DB);
  const uses = { memories: memories.map(({ id }) => ({ id, importance: 0.5 })), episodes: episodes.map((id) => ({ id, importance: 0.5 })), at: new Date().toISOString() };
  const started = Date.now();
  for (let n = 0; n < 16; n += 1) await noteUses(db, home.tenant, uses, lifted);
  console.log("TOOK", (Date.now() - started) / 16);
  await home.expectRebuilt();
});
