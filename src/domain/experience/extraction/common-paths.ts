// Where files lie that several episodes share: the file itself, else the narrowest pattern that covers theirs, such as
// `src/routes/*.ts`.
import { half, nearlyAll } from "./consensus";

/** What nearly all of the lists share, or else half of them. */
export function commonPlaces(lists: readonly (readonly string[])[]): string[] {
  const common = sharedPlaces(lists, nearlyAll(lists.length));
  return common.length > 0 ? common : sharedPlaces(lists, half(lists.length));
}

/** What at least `least` of the lists share: the narrowest first, then what most share. */
export function sharedPlaces(lists: readonly (readonly string[])[], least: number): string[] {
  const found: string[] = [];
  let open = lists.map((paths) => [...new Set(paths)].map(placesOf));
  for (let level = 0; level < LEVELS; level += 1) {
    const counts = new Map<string, number>();
    for (const paths of open) {
      for (const place of new Set(paths.flatMap((places) => places[level] ?? [])))
        counts.set(place, (counts.get(place) ?? 0) + 1);
    }
    const shared = [...counts].filter(([, count]) => count >= least);
    shared.sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    const names = new Set(shared.map(([place]) => place));
    found.push(...names);
    open = open.map((paths) => paths.filter((places) => !names.has(places[level] ?? "")));
  }
  return found;
}

/** A path, or a name with an extension. */
export function isFile(target: string): boolean {
  return /^[^\s]*(?:\/[^\s]*|\w\.[a-z]\w*)$/i.test(target);
}

const LEVELS = 4;
const PATH = /^(?!\w+:\/\/)[^\s]+\/[^\s/]+$/;
const EXTENSION = /(?:\.(?:test|spec|stories|config|generated|d))?\.\w+$/;

/** From the narrowest to the widest. What is no path has no place but its own name. */
function placesOf(path: string): string[] {
  if (!PATH.test(path)) return [path];
  const [folder, name] = parted(path);
  const [parent] = parted(folder.slice(0, -1));
  const [extension = ""] = EXTENSION.exec(name) ?? [];
  const wide = parent === "" ? [] : [`${parent}**/*${extension}`];
  return [path, `${folder}*${extension}`, `${parent}*/${name}`, ...wide];
}

/** The folder with its slash, and the name. */
function parted(path: string): [string, string] {
  const end = path.lastIndexOf("/") + 1;
  return [path.slice(0, end), path.slice(end)];
}
