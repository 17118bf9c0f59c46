// Anthropic's memory tool (memory_20250818) on Kioku's memory: a file is a document under its path. An edit takes the
// place of what was there, which stays in the history; a deletion and a rename leave nothing behind. There are no
// directories but those that files are in. Texts of results and errors are those of the SDK's own tool over files.
import type { MemoryToolHandlers } from "@anthropic-ai/sdk/helpers/beta/memory";
import type { Belongs } from "./belongs";
import type { Document } from "./document-parts";
import { type DocumentClient, Documents } from "./documents";
import { escaped } from "./keys";
import { fileView, listing, numbered } from "./memory-listing";
import { parentsOf, pathOf, ROOT } from "./memory-paths";

export type KiokuMemoryToolOptions = Belongs;

type File = Document<string, string>;

const bytesOf = (text: string): number => new TextEncoder().encode(text).byteLength;

/** For the SDK's `betaMemoryTool`. */
export function kiokuMemoryTool(kioku: DocumentClient, options: KiokuMemoryToolOptions): MemoryToolHandlers {
  const files = new Documents<string, string>(kioku, options, { keyOf: escaped, labelOf: (path) => path });
  const below = (directory: string): Promise<File[]> => files.list(`${escaped(directory)}/`);
  const write = (path: string, text: string): Promise<void> => files.put(path, text, text);

  /** The file itself, or those below the directory; none when there is neither. */
  async function at(path: string): Promise<File[]> {
    const file = path === ROOT ? null : await files.get(path);
    return file === null ? below(path) : [file];
  }

  async function fileAt(path: string): Promise<File> {
    const file = path === ROOT ? null : await files.get(path);
    if (file !== null) return file;
    if (path === ROOT || (await below(path)).length > 0) throw new Error(`The path ${path} is not a file.`);
    throw new Error(`The path ${path} does not exist. Please provide a valid path.`);
  }

  /** A new file's directories must not be files. */
  async function checkParents(path: string): Promise<void> {
    for (const parent of parentsOf(path))
      if ((await files.get(parent)) !== null) throw new Error(`The path ${parent} is not a directory.`);
  }

  return {
    async view({ path: given, view_range }) {
      const path = pathOf(given);
      const found = await at(path);
      if (found[0]?.address === path) return fileView(given, found[0].value, view_range);
      if (found.length === 0 && path !== ROOT)
        throw new Error(`The path ${given} does not exist. Please provide a valid path.`);
      return listing(
        path,
        found.map(({ address, value }) => ({ path: address, bytes: bytesOf(value) })),
      );
    },

    async create({ path: given, file_text }) {
      const path = pathOf(given);
      if (path === ROOT || (await at(path)).length > 0) throw new Error(`File ${given} already exists`);
      await checkParents(path);
      await write(path, file_text);
      return `File created successfully at: ${given}`;
    },

    async str_replace({ path: given, old_str, new_str }) {
      const path = pathOf(given);
      const { value: text } = await fileAt(path);
      const places = placesOf(text, old_str);
      const [place] = places;
      if (place === undefined)
        throw new Error(
          `No replacement was performed, old_str \`${old_str}\` did not appear verbatim in ${given}.`,
        );
      const lines = places.map((at) => lineOf(text, at));
      if (places.length > 1)
        throw new Error(
          `No replacement was performed. Multiple occurrences of old_str \`${old_str}\` in lines: ${[...new Set(lines)].join(", ")}. Please ensure it is unique`,
        );
      const edited = text.slice(0, place) + new_str + text.slice(place + old_str.length);
      await write(path, edited);
      const changed = lineOf(text, place);
      const first = Math.max(1, changed - 2);
      const snippet = numbered(edited.split("\n").slice(first - 1, changed + 2), first);
      return `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${snippet}`;
    },

    async insert({ path: given, insert_line, insert_text }) {
      const path = pathOf(given);
      const lines = (await fileAt(path)).value.split("\n");
      if (insert_line < 0 || insert_line > lines.length)
        throw new Error(
          `Invalid \`insert_line\` parameter: ${insert_line}. It should be within the range of lines of the file: [0, ${lines.length}]`,
        );
      await write(path, lines.toSpliced(insert_line, 0, insert_text.replace(/\n$/, "")).join("\n"));
      return `The file ${given} has been edited.`;
    },

    async delete({ path: given }) {
      const path = pathOf(given);
      if (path === ROOT) throw new Error(`Cannot delete the ${ROOT} directory itself`);
      if (!(await files.erase(path))) {
        const found = await below(path);
        if (found.length === 0) throw new Error(`The path ${given} does not exist`);
        for (const { address } of found) await files.erase(address);
      }
      return `Successfully deleted ${given}`;
    },

    async rename({ old_path, new_path }) {
      const [from, to] = [pathOf(old_path), pathOf(new_path)];
      if (from === ROOT) throw new Error(`Cannot rename the ${ROOT} directory itself`);
      if (to === ROOT || (await at(to)).length > 0)
        throw new Error(`The destination ${new_path} already exists`);
      const found = await at(from);
      if (found.length === 0) throw new Error(`The path ${old_path} does not exist`);
      if (to.startsWith(`${from}/`)) throw new Error(`Cannot rename ${old_path} to a path within itself`);
      await checkParents(to);
      for (const file of found) {
        await write(to + file.address.slice(from.length), file.value);
        await files.erase(file.address);
      }
      return `Successfully renamed ${old_path} to ${new_path}`;
    },
  };
}

/** Where it begins, each time. */
function placesOf(text: string, part: string): number[] {
  const places: number[] = [];
  if (part === "") return places;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) places.push(at);
  return places;
}

/** Counted from 1. */
function lineOf(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}
