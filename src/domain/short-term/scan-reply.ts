// What an assistant's reply tells about the work at hand, for the working context: only what it says outright.
import { clip, withoutFences } from "../../text/memory-text";

export type Finding = {
  key: "active_file" | "framework" | "primary_language" | "current_task";
  value: string;
};

/** The first finding of each kind. Fenced code shows examples, so only the prose around it counts. */
export function scanReply(content: string): Finding[] {
  const prose = withoutFences(content).replace(/[‘’]/g, "'");
  const found: [Finding["key"], string | undefined][] = [
    ["active_file", activeFile(prose)],
    ["framework", inUse(prose, FRAMEWORK)],
    ["primary_language", inUse(prose, LANGUAGE)],
    ["current_task", currentTask(prose)],
  ];
  return found.flatMap(([key, value]) => (value === undefined ? [] : [{ key, value }]));
}

/** Said of something else than the work at hand: advised against, proposed, supposed, asked. */
const NOT_SO =
  /\b(?:not|never|without|instead|rather|stop(?:ped)?|avoid|consider|recommend|suggest|could|would|should|might|may|can|if|unless|unlike|try|example|whether|are you|do you|is it|don't|doesn't|isn't|aren't|won't|used to)\b[^.!?\n]*$/i;

function said(prose: string, match: RegExpExecArray): boolean {
  const before = prose.slice(Math.max(0, match.index - 120), match.index);
  const after = prose.slice(match.index + match[0].length, match.index + match[0].length + 200);
  return !NOT_SO.test(before) && !/^[^.!\n]*\?/.test(after);
}

const EXTENSIONS = new Set(
  (
    "ts tsx mts cts js jsx mjs cjs py rb ex exs erl go rs java kt kts swift scala c h cc cpp hpp cs fs php lua dart " +
    "zig hs clj ml sql sh bash ps1 html css scss vue svelte astro json jsonc yaml yml toml ini env xml md mdx txt " +
    "csv ttl proto graphql tf ipynb tex pdf docx xlsx pptx"
  ).split(" "),
);
const FILE =
  /\b(?:edit(?:ed|ing)?|open(?:ed|ing)?|updat(?:ed|ing)|modif(?:ied|ying)|chang(?:ed|ing)|creat(?:ed|ing)|add(?:ed|ing)|fix(?:ed|ing)|refactor(?:ed|ing)|review(?:ed|ing)|wrote|writing|read(?:ing)?|looked at|looking at|in|inside|to)\s+(?:the\s+)?(?:file\s+)?[`"']?((?:\.{0,2}\/)?[\w@.-][\w@./-]{0,199})/gi;
/** Products that are named like files. */
const NAMED_LIKE_FILE =
  /^(?:node|next|nuxt|vue|express|three|d3|react|ember|backbone|angular|chart|moment|alpine|nest|p5|discord)\.js$/i;

function activeFile(prose: string): string | undefined {
  for (const match of prose.matchAll(FILE)) {
    const path = (match[1] ?? "").replace(/[./-]+$/, "");
    const extension = /[\w)-]\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
    if (EXTENSIONS.has(extension) && !NAMED_LIKE_FILE.test(path) && said(prose, match)) return path;
  }
  return undefined;
}

const USED =
  "(?:[Uu]ses|[Uu]sing|[Bb]uilt (?:with|on|in|using)|[Pp]owered by|[Rr]uns on|[Rr]unning on|[Bb]ased on|[Ww]ritten in)";
const PRODUCT =
  "(?:app|application|project|codebase|code base|service|backend|frontend|site|server|repo|repository)";

function inUseOf(names: string, label: string): RegExp {
  const name = `(${names})( v?\\d+(?:\\.\\d+)*)?(?![\\w+#-]|\\.\\w)`;
  return new RegExp(
    [
      `\\b(?:[Tt]he|[Tt]his|[Yy]our|[Oo]ur) ${label} is ${name}`,
      `\\b${USED} (?:the )?${name}`,
      `\\b(?:[Tt]his|[Yy]our|[Oo]ur)(?: is an?)? ${name} ${PRODUCT}\\b`,
      `\\b(?:[Tt]his|[Ii]t|[Tt]hat|[Tt]he \\w+)(?:'s| is) an? ${name} ${PRODUCT}\\b`,
    ].join("|"),
    "g",
  );
}

const FRAMEWORK = inUseOf(
  "Phoenix(?: LiveView)?|Ruby on Rails|Rails|Django|Flask|FastAPI|Spring Boot|Laravel|Symfony|Express(?:\\.js)?|NestJS|" +
    "Next\\.js|Nuxt(?:\\.js)?|React Native|React|Vue(?:\\.js)?|SvelteKit|Svelte|Angular|Remix|Astro|Hono|ASP\\.NET Core|" +
    "Gin|Actix|Axum|Flutter|Electron|Qt|Ash|Quarkus|Micronaut|Ember|SolidJS|Tauri",
  "(?:web )?framework",
);
const LANGUAGE = inUseOf(
  "TypeScript|JavaScript|Python|Ruby|Elixir|Erlang|Go|Rust|Java|Kotlin|Swift|Scala|Haskell|Clojure|C\\+\\+|C#|F#|C|PHP|" +
    "Perl|Lua|R|Dart|Zig|OCaml|Julia",
  "(?:primary |main |programming )?language",
);

function inUse(prose: string, names: RegExp): string | undefined {
  for (const match of prose.matchAll(names)) {
    if (said(prose, match)) return match.slice(1).filter(Boolean).join("");
  }
  return undefined;
}

const TASK =
  /(?:^|[.!,:\n-]\s*|\b(?:i'm|i am|we're|we are|you're|you are|i've been|we've been|i'll (?:start|continue|keep)|let's (?:start|continue|keep)|let me (?:start|continue))\s+(?:now |currently |still |by )?|\b(?:currently|now)\s+)(?:working on|implementing):?\s+(?!(?:it|this|that|them|these|those|something)\b)((?:[^\n.!?;]|\.(?=\w)){3,200})/gi;

function currentTask(prose: string): string | undefined {
  for (const match of prose.matchAll(TASK)) {
    const task = (match[1] ?? "").replace(/[\s,:-]+$/, "");
    if (task.includes(" ") && said(prose, match)) return clip(task, 120);
  }
  return undefined;
}
