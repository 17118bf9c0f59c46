// A backend of Anthropic's memory tool (memory_20250818) on Kioku: a file is a document under its path. An edit
// supersedes the previous version, which stays in the history; deletions and renames erase the history. Directories
// exist only through their files. Results and errors use the texts of the SDK's own file-based tool.
import type { MemoryToolHandlers } from "@anthropic-ai/sdk/helpers/beta/memory";
import type { Document } from "./document-parts";
import { type DocumentClient, Documents } from "./documents";
import { escapeKeyPart } from "./keys";
import { numberLines, renderDirectory, renderFile } from "./memory-listing";
import { listParents, normalisePath, ROOT } from "./memory-paths";
import type { MemoryOwner } from "./owner";

export type KiokuMemoryToolOptions = MemoryOwner;

type File = Document<string, string>;

const countBytes = (text: string): number => new TextEncoder().encode(text).byteLength;

/** Returns the handlers for the SDK's `betaMemoryTool`. */
export function kiokuMemoryTool(kioku: DocumentClient, options: KiokuMemoryToolOptions): MemoryToolHandlers {
  const files = new Documents<string, string>(kioku, options, {
    toKey: escapeKeyPart,
    toLabel: (path) => path,
  });
  const listBelow = (directory: string): Promise<File[]> => files.list(`${escapeKeyPart(directory)}/`);
  const write = (path: string, text: string): Promise<void> => files.put(path, text, text);

  /** Returns the file at the path, or all files below the directory. */
  async function findFiles(path: string): Promise<File[]> {
    const file = path === ROOT ? null : await files.get(path);
    return file === null ? listBelow(path) : [file];
  }

  async function getFile(path: string): Promise<File> {
    const file = path === ROOT ? null : await files.get(path);
    if (file !== null) return file;
    if (path === ROOT || (await listBelow(path)).length > 0)
      throw new Error(`The path ${path} is not a file.`);
    throw new Error(`The path ${path} does not exist. Please provide a valid path.`);
  }

  /** Throws if a parent of a new file is itself a file. */
  async function checkParents(path: string): Promise<void> {
    for (const parent of listParents(path))
      if ((await files.get(parent)) !== null) throw new Error(`The path ${parent} is not a directory.`);
  }

  return {
    async view({ path: given, view_range }) {
      const path = normalisePath(given);
      const found = await findFiles(path);
      if (found[0]?.address === path) return renderFile(given, found[0].value, view_range);
      if (found.length === 0 && path !== ROOT)
        throw new Error(`The path ${given} does not exist. Please provide a valid path.`);
      return renderDirectory(
        path,
        found.map(({ address, value }) => ({ path: address, bytes: countBytes(value) })),
      );
    },

    async create({ path: given, file_text }) {
      const path = normalisePath(given);
      if (path === ROOT || (await findFiles(path)).length > 0)
        throw new Error(`File ${given} already exists`);
      await checkParents(path);
      await write(path, file_text);
      return `File created successfully at: ${given}`;
    },

    async str_replace({ path: given, old_str, new_str }) {
      const path = normalisePath(given);
      const { value: text } = await getFile(path);
      const positions = findOccurrences(text, old_str);
      const [position] = positions;
      if (position === undefined)
        throw new Error(
          `No replacement was performed, old_str \`${old_str}\` did not appear verbatim in ${given}.`,
        );
      const lines = positions.map((at) => getLineNumber(text, at));
      if (positions.length > 1)
        throw new Error(
          `No replacement was performed. Multiple occurrences of old_str \`${old_str}\` in lines: ${[...new Set(lines)].join(", ")}. Please ensure it is unique`,
        );
      const edited = text.slice(0, position) + new_str + text.slice(position + old_str.length);
      await write(path, edited);
      const changed = getLineNumber(text, position);
      const first = Math.max(1, changed - 2);
      const snippet = numberLines(edited.split("\n").slice(first - 1, changed + 2), first);
      return `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${snippet}`;
    },

    async insert({ path: given, insert_line, insert_text }) {
      const path = normalisePath(given);
      const lines = (await getFile(path)).value.split("\n");
      if (insert_line < 0 || insert_line > lines.length)
        throw new Error(
          `Invalid \`insert_line\` parameter: ${insert_line}. It should be within the range of lines of the file: [0, ${lines.length}]`,
        );
      await write(path, lines.toSpliced(insert_line, 0, insert_text.replace(/\n$/, "")).join("\n"));
      return `The file ${given} has been edited.`;
    },

    async delete({ path: given }) {
      const path = normalisePath(given);
      if (path === ROOT) throw new Error(`Cannot delete the ${ROOT} directory itself`);
      if (!(await files.erase(path))) {
        const found = await listBelow(path);
        if (found.length === 0) throw new Error(`The path ${given} does not exist`);
        for (const { address } of found) await files.erase(address);
      }
      return `Successfully deleted ${given}`;
    },

    async rename({ old_path, new_path }) {
      const [from, to] = [normalisePath(old_path), normalisePath(new_path)];
      if (from === ROOT) throw new Error(`Cannot rename the ${ROOT} directory itself`);
      if (to === ROOT || (await findFiles(to)).length > 0)
        throw new Error(`The destination ${new_path} already exists`);
      const found = await findFiles(from);
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

/** Returns the start of each occurrence. */
function findOccurrences(text: string, part: string): number[] {
  const positions: number[] = [];
  if (part === "") return positions;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) positions.push(at);
  return positions;
}

/** Returns the line number of a position, from 1. */
function getLineNumber(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}
