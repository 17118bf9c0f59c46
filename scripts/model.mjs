// `npm run model`: makes the embedded embedder's model file, unless it is up to date.
import { relative } from "node:path";
import { buildModel } from "./lib/model.mjs";

const { path, made } = await buildModel();
console.log(`${relative(process.cwd(), path)}: ${made ? "made" : "up to date"}`);
