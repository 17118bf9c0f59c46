// `npm run means`: computes the embedded embedder's mean vectors again. Other means give other vectors: increase the
// version in the embedder's name with them.
import { writeFile } from "node:fs/promises";
import { relative } from "node:path";
import { generateMeans, meansPath } from "./lib/model/compute-means.ts";

await writeFile(meansPath, await generateMeans());
console.log(`${relative(process.cwd(), meansPath)}: written`);
