// The language that files are written in, by their extensions.

const EXTENSIONS: Readonly<Record<string, string>> = {
  typescript: "ts tsx mts cts",
  javascript: "js jsx mjs cjs",
  python: "py pyi ipynb",
  go: "go",
  rust: "rs",
  java: "java",
  kotlin: "kt kts",
  scala: "scala",
  swift: "swift",
  csharp: "cs",
  cpp: "cc cpp cxx hpp",
  c: "c h",
  ruby: "rb",
  php: "php",
  elixir: "ex exs",
  dart: "dart",
  sql: "sql",
  shell: "sh bash zsh",
  terraform: "tf",
  css: "css scss less",
  html: "html",
  vue: "vue",
  svelte: "svelte",
};

const LANGUAGES = new Map(
  Object.entries(EXTENSIONS).flatMap(([language, endings]) =>
    endings.split(" ").map((ending) => [ending, language] as const),
  ),
);

export function languageOf(path: string): string | null {
  const [, ending = ""] = /\.(\w+)$/.exec(path) ?? [];
  return LANGUAGES.get(ending.toLowerCase()) ?? null;
}
