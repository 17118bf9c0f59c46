// Reads the options of `npm run eval`. A wrong one is refused before anything is stored.
import { parseArgs } from "node:util";
import { readMessage } from "../../scripts/lib/errors.ts";
import type { RecallVariant } from "./ask-questions.ts";
import { STORES, type Store } from "./load/load-conversations.ts";

export const EVAL_USAGE = `npm run eval -- --data <file> [options]

  --data FILE                 conversations with questions, as JSON (docs/evaluation.md)
  --variant [NAME=]JSON       options of POST /v1/recall to measure (may be repeated); the first is compared with
                              the others. Without any: the defaults of the service
  --url URL, --key KEY        a running service and a key of its tenant; or KIOKU_URL and KIOKU_API_KEY. Without a
                              URL, a service is started here
  --setting NAME=VALUE        a setting of the service that is started here (may be repeated)
  --store messages|memories   how turns are stored (default: messages)
  --limit-questions N         N evenly spaced questions
  --limit-conversations N     the first N conversations
  --by-category               a table for each category of questions
  --samples N, --seed N       of the bootstrap (default: 2000 and 1)
  --json FILE                 also write the ranks of each question's evidence`;

const OPTIONS = {
  data: { type: "string" },
  variant: { type: "string", multiple: true, default: [] as string[] },
  url: { type: "string" },
  key: { type: "string" },
  setting: { type: "string", multiple: true, default: [] as string[] },
  store: { type: "string", default: "messages" },
  "limit-questions": { type: "string" },
  "limit-conversations": { type: "string" },
  "by-category": { type: "boolean", default: false },
  samples: { type: "string", default: "2000" },
  seed: { type: "string", default: "1" },
  json: { type: "string" },
  help: { type: "boolean", short: "h", default: false },
} as const;

export interface EvalOptions {
  data: string;
  variants: readonly RecallVariant[];
  /** Null for a service that is started here. */
  running: { url: string; key: string } | null;
  settings: Record<string, string>;
  store: Store;
  /** Infinite without a limit. */
  questions: number;
  conversations: number;
  byCategory: boolean;
  samples: number;
  seed: number;
  json: string | undefined;
}

/** Returns null if help is asked for. */
export function readEvalOptions(argv: string[], env: Record<string, string | undefined>): EvalOptions | null {
  const values = parseOptions(argv);
  if (values.help) return null;
  if (!values.data) throw new Error(`Name a data file: --data <file>\n\n${EVAL_USAGE}`);
  const url = values.url || env.KIOKU_URL;
  const key = values.key || env.KIOKU_API_KEY;
  if (url && !key)
    throw new Error("--url needs --key, or KIOKU_API_KEY: a key of the service with read and write");
  if (url && values.setting.length > 0)
    throw new Error("--setting is for a service that is started here: a running one has its own settings");
  const variants = (values.variant.length === 0 ? ["defaults={}"] : values.variant).map(parseVariant);
  const repeated = variants.find(({ name }, i) => variants.findIndex((other) => other.name === name) !== i);
  if (repeated) throw new Error(`Two variants are named ${repeated.name}: give each a name of its own`);
  return {
    data: values.data,
    variants,
    running: url && key ? { url: url.replace(/\/+$/, ""), key } : null,
    settings: Object.fromEntries(values.setting.map(parseSetting)),
    store: parseStore(values.store),
    questions: parseCount("limit-questions", values["limit-questions"] ?? "Infinity"),
    conversations: parseCount("limit-conversations", values["limit-conversations"] ?? "Infinity"),
    byCategory: values["by-category"],
    samples: parseCount("samples", values.samples),
    seed: parseCount("seed", values.seed),
    json: values.json,
  };
}

function parseOptions(argv: string[]) {
  try {
    return parseArgs({ args: argv, options: OPTIONS }).values;
  } catch (error) {
    throw new Error(`${readMessage(error).split(". ")[0]}.\n\n${EVAL_USAGE}`, { cause: error });
  }
}

/** A variant without a name is named by its JSON. */
function parseVariant(text: string): RecallVariant {
  const [, name, json = text] = /^([^={}"]+)=(.*)$/s.exec(text) ?? [];
  const options = parseObject(json);
  if (options === null)
    throw new Error(`--variant takes a JSON object of recall options, such as {"mode":"text"}: ${text}`);
  return { name: name?.trim() || json.trim(), options };
}

function parseObject(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

function parseSetting(text: string): [string, string] {
  const [, name, value] = /^([A-Z][A-Z0-9_]*)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new Error(
      `--setting takes NAME=VALUE, as in RERANKER_URL=http://127.0.0.1:8080: ${text.split("=")[0]}`,
    );
  return [name, value];
}

function parseStore(text: string): Store {
  const store = STORES.find((known) => known === text);
  if (store === undefined) throw new Error(`--store is one of ${STORES.join(", ")}: ${text}`);
  return store;
}

function parseCount(name: string, text: string): number {
  if (text === "Infinity" || /^[1-9]\d*$/.test(text)) return Number(text);
  throw new Error(`--${name} takes a whole number of at least 1: ${text}`);
}
