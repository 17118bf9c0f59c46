// Types for the tests; the scripts themselves are plain JavaScript.
import type { UseLite } from "../../src/models/embedders/use-lite/sentence-encoder";

export const meansPath: string;
export function generateMeans(): Promise<string>;
export function loadModel(): Promise<UseLite>;
