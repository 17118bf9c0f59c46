// Writes the completion scripts of shells from the command definitions.
import type { Command, Option } from "./command";
import { groupBy } from "./group-by";
import { COMMON_OPTIONS } from "./parse";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** A first word of a command line: a command, or the group of commands that begin with it. */
type Entry = {
  word: string;
  summary: string;
  command: Command | undefined;
  verbs: Entry[];
  /** Known values of the arguments. */
  words: readonly string[];
};

export function renderCompletion(shell: Shell, commands: readonly Command[]): string {
  const entries = groupCommands(commands);
  return shell === "fish" ? renderFish(entries) : shell === "zsh" ? renderZsh(entries) : renderBash(entries);
}

function groupCommands(commands: readonly Command[]): Entry[] {
  const groups = groupBy(commands, ({ name }) => name.split(" ", 1)[0] ?? "");
  const entries = [...groups].map(([word, members]) => {
    const command = members.find(({ name }) => name === word);
    const verbs = members.filter(({ name }) => name !== word);
    return {
      word,
      summary: command?.summary ?? verbs.map(getVerb).join(", "),
      command,
      verbs: verbs.map((verb) => ({
        word: getVerb(verb),
        summary: verb.summary,
        command: verb,
        verbs: [],
        words: verb.words ?? [],
      })),
      words: command?.words ?? [],
    };
  });
  const words = entries.map(({ word }) => word);
  return [
    ...entries,
    { word: "help", summary: "Show how to use a command", command: undefined, verbs: [], words },
  ];
}

function getVerb({ name }: Command): string {
  return name.slice(name.indexOf(" ") + 1);
}

/** The words after a command: verbs and arguments that are known, then its options. */
function listWords({ command, verbs, words }: Entry): string[] {
  const options = Object.keys({ ...command?.options, ...COMMON_OPTIONS }).map((name) => `--${name}`);
  return [...verbs.map(({ word }) => word), ...words, ...options];
}

/** Offers options after a dash only. Without a word of ours that fits, the shell completes file names. */
function renderBash(entries: readonly Entry[]): string {
  return `# kioku completion for bash: eval "$(kioku completion bash)"
_kioku() {
  local words cur="\${COMP_WORDS[COMP_CWORD]}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${entries.map(({ word }) => word).join(" ")}"
  else
    case "\${COMP_WORDS[1]} \${COMP_WORDS[2]} \${COMP_WORDS[COMP_CWORD-1]}" in
${renderCases(entries, (words) => `words="${words.join(" ")}"`)}
    esac
  fi
  [[ $cur == -* ]] || words="\${words%%--*}"
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _kioku kioku`;
}

function renderZsh(entries: readonly Entry[]): string {
  const described = entries.map(({ word, summary }) => `'${word}:${quote(summary)}'`).join(" ");
  return `#compdef kioku
# kioku completion for zsh: eval "$(kioku completion zsh)"
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
_kioku() {
  if (( CURRENT == 2 )); then
    local -a commands=(${described})
    _describe command commands
    return
  fi
  local -a choices
  case "\${words[2]} \${words[3]} \${words[CURRENT-1]}" in
${renderCases(entries, (words) => `choices=(${words.join(" ")})`)}
  esac
  [[ $PREFIX == -* ]] || choices=(\${choices:#--*})
  compadd -a choices || _files
}
compdef _kioku kioku`;
}

/** The cases of a command's first two words and the word before the cursor, which may be an option with choices. */
function renderCases(entries: readonly Entry[], assign: (words: readonly string[]) => string): string {
  const render = (entry: Entry, words: string) => [
    ...Object.entries(entry.command?.options ?? {}).flatMap(([name, { choices }]) =>
      choices === undefined ? [] : [`      "${words} "*"--${name}") ${assign(choices)} ;;`],
    ),
    `      "${words} "*) ${assign(listWords(entry))} ;;`,
  ];
  return entries
    .flatMap((entry) => [
      ...entry.verbs.flatMap((verb) => render(verb, `${entry.word} ${verb.word}`)),
      ...render(entry, entry.word),
    ])
    .join("\n");
}

function renderFish(entries: readonly Entry[]): string {
  const lines = entries.flatMap((entry) => [
    `complete -c kioku -n __fish_use_subcommand -f -a ${entry.word} -d '${quote(entry.summary)}'`,
    ...entry.verbs.flatMap((verb) => [
      `complete -c kioku -n '__fish_seen_subcommand_from ${entry.word}' -f -a ${verb.word} -d '${quote(verb.summary)}'`,
      ...renderFishOptions(verb, `${entry.word}; and __fish_seen_subcommand_from ${verb.word}`),
    ]),
    ...renderFishOptions(entry, entry.word),
  ]);
  return ["# kioku completion for fish: kioku completion fish | source", ...lines].join("\n");
}

function renderFishOptions({ command, words }: Entry, seen: string): string[] {
  const start = `complete -c kioku -n '__fish_seen_subcommand_from ${seen}'`;
  return [
    ...(words.length === 0 ? [] : [`${start} -f -a '${words.join(" ")}'`]),
    ...Object.entries(command === undefined ? {} : { ...command.options, ...COMMON_OPTIONS }).map(
      ([name, { type, about, choices }]: [string, Option]) => {
        const value = choices === undefined ? " -r" : ` -x -a '${choices.join(" ")}'`;
        return `${start} -l ${name}${type === "string" ? value : ""} -d '${quote(about)}'`;
      },
    ),
  ];
}

/** Keeps a text within single quotes. */
function quote(text: string): string {
  return text.replaceAll("'", "’").replaceAll(":", ";");
}
