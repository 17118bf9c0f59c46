// Finds the active file, framework, language and task that an assistant's reply states, for the working context.
import { clip } from "../../language/normalise-text";
import { stripCodeFences } from "../../language/sentences";

type ReplyFinding = {
  key: "active_file" | "framework" | "primary_language" | "current_task";
  value: string;
};

/** Returns the first finding of each kind. Fenced code may be an example, so only prose counts. */
export function scanReply(content: string): ReplyFinding[] {
  const prose = stripCodeFences(content).replace(/[‘’]/g, "'");
  const found: [ReplyFinding["key"], string | undefined][] = [
    ["active_file", findActiveFile(prose)],
    ["framework", findInUse(prose, FRAMEWORK)],
    ["primary_language", findInUse(prose, LANGUAGE)],
    ["current_task", findCurrentTask(prose)],
  ];
  return found.flatMap(([key, value]) => (value === undefined ? [] : [{ key, value }]));
}

/** Negations, proposals, conditions and questions before a match. */
const NOT_ASSERTED =
  /\b(?:not|never|without|instead|rather|stop(?:ped)?|avoid|consider|recommend|suggest|could|would|should|might|may|can|if|unless|unlike|try|example|whether|are you|do you|is it|don't|doesn't|isn't|aren't|won't|used to)\b[^.!?\n]*$/i;

function isAssertion(prose: string, match: RegExpExecArray): boolean {
  const before = prose.slice(Math.max(0, match.index - 120), match.index);
  const after = prose.slice(match.index + match[0].length, match.index + match[0].length + 200);
  return !NOT_ASSERTED.test(before) && !/^[^.!\n]*\?/.test(after);
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
/** Products with names like files. */
const FILE_LIKE_PRODUCT =
  /^(?:node|next|nuxt|vue|express|three|d3|react|ember|backbone|angular|chart|moment|alpine|nest|p5|discord)\.js$/i;

function findActiveFile(prose: string): string | undefined {
  for (const match of prose.matchAll(FILE)) {
    const path = (match[1] ?? "").replace(/[./-]+$/, "");
    const extension = /[\w)-]\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
    if (EXTENSIONS.has(extension) && !FILE_LIKE_PRODUCT.test(path) && isAssertion(prose, match)) return path;
  }
  return undefined;
}

const USAGE_VERBS =
  "(?:[Uu]ses|[Uu]sing|[Bb]uilt (?:with|on|in|using)|[Pp]owered by|[Rr]uns on|[Rr]unning on|[Bb]ased on|[Ww]ritten in)";
const PRODUCT =
  "(?:app|application|project|codebase|code base|service|backend|frontend|site|server|repo|repository)";

function buildUsagePattern(names: string, label: string): RegExp {
  const name = `(${names})( v?\\d+(?:\\.\\d+)*)?(?![\\w+#-]|\\.\\w)`;
  return new RegExp(
    [
      `\\b(?:[Tt]he|[Tt]his|[Yy]our|[Oo]ur) ${label} is ${name}`,
      `\\b${USAGE_VERBS} (?:the )?${name}`,
      `\\b(?:[Tt]his|[Yy]our|[Oo]ur)(?: is an?)? ${name} ${PRODUCT}\\b`,
      `\\b(?:[Tt]his|[Ii]t|[Tt]hat|[Tt]he \\w+)(?:'s| is) an? ${name} ${PRODUCT}\\b`,
    ].join("|"),
    "g",
  );
}

const FRAMEWORK = buildUsagePattern(
  "Phoenix(?: LiveView)?|Ruby on Rails|Rails|Django|Flask|FastAPI|Spring Boot|Laravel|Symfony|Express(?:\\.js)?|NestJS|" +
    "Next\\.js|Nuxt(?:\\.js)?|React Native|React|Vue(?:\\.js)?|SvelteKit|Svelte|Angular|Remix|Astro|Hono|ASP\\.NET Core|" +
    "Gin|Actix|Axum|Flutter|Electron|Qt|Ash|Quarkus|Micronaut|Ember|SolidJS|Tauri",
  "(?:web )?framework",
);
const LANGUAGE = buildUsagePattern(
  "TypeScript|JavaScript|Python|Ruby|Elixir|Erlang|Go|Rust|Java|Kotlin|Swift|Scala|Haskell|Clojure|C\\+\\+|C#|F#|C|PHP|" +
    "Perl|Lua|R|Dart|Zig|OCaml|Julia",
  "(?:primary |main |programming )?language",
);

function findInUse(prose: string, names: RegExp): string | undefined {
  for (const match of prose.matchAll(names)) {
    if (isAssertion(prose, match)) return match.slice(1).filter(Boolean).join("");
  }
  return undefined;
}

const TASK =
  /(?:^|[.!,:\n-]\s{0,8}|\b(?:i'm|i am|we're|we are|you're|you are|i've been|we've been|i'll (?:start|continue|keep)|let's (?:start|continue|keep)|let me (?:start|continue))\s+(?:now |currently |still |by )?|\b(?:currently|now)\s+)(?:working on|implementing):?\s+(?!(?:it|this|that|them|these|those|something)\b)((?:[^\n.!?;]|\.(?=\w)){3,200})/gi;

function findCurrentTask(prose: string): string | undefined {
  for (const match of prose.matchAll(TASK)) {
    const task = (match[1] ?? "").replace(/[\s,:-]+$/, "");
    if (task.includes(" ") && isAssertion(prose, match)) return clip(task, 120);
  }
  return undefined;
}
