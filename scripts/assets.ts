// `npm run assets`: makes the Worker's assets, unless they are up to date.
import { buildAssets } from "./lib/assets.mjs";

await buildAssets();
