// Types for the tests; the scripts themselves are plain JavaScript.
import type { UseLite } from "../../src/embedding/use-lite/model";

export const meansPath: string;
export function generateMeans(): Promise<string>;
export function loadModel(): Promise<UseLite>;
