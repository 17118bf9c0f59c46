// `npm run assets`: builds the Worker's assets, unless they are up to date.
import { buildAssets } from "./lib/build-assets.ts";

await buildAssets();
