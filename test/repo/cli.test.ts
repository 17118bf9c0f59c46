// `kioku`, the command, against the built service: help, tables, completion, and what is said when it fails.
import { cp } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { fresh } from "../conformance/support/client";
import { commandUnderTest, findUnusedAddress } from "./cli-under-test";
import { kioku, kiokuFile, type Outcome, runToEnd, spawnKioku } from "./kioku-command";

const { getFolder, settings, cli, remember } = commandUnderTest();

describe("the command", () => {
  it("says what it can do on one screen, and more of each command with an example", async () => {
    for (const args of [[], ["--help"], ["help"]]) {
      const { code, out } = await kioku(args);
      expect(code).toBe(0);
      const lines = out.trimEnd().split("\n");
      expect(lines.length).toBeLessThanOrEqual(36);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(100);
    }
    const listed = (await kioku([])).out.matchAll(/^ {2}([a-z]+(?: [a-z]+)?) +(<command>.*: (.*))?/gm);
    const names = [...listed].flatMap(([, name = "", group, verbs = ""]) =>
      group === undefined ? [name] : verbs.split(", ").map((verb) => `${name} ${verb}`),
    );
    expect(names).toEqual(expect.arrayContaining(["remember", "agents erase", "keys create", "doctor"]));
    expect(names).toEqual(expect.arrayContaining(["privacy set", "webhooks retry"]));
    const helps = await Promise.all(names.map((name) => kioku(["help", ...name.split(" ")])));
    helps.forEach(({ code, out }, at) => {
      expect(code).toBe(0);
      expect(out).toContain(`kioku ${names[at]}`);
      expect(out).toMatch(/Example:\n {2}(\S.*)?kioku /);
    });
    expect((await kioku(["recall", "--help"])).out).toBe((await kioku(["help", "recall"])).out);
    expect((await kioku(["help", "keys"])).out).toMatch(/keys create[\s\S]*keys list[\s\S]*keys delete/);
  });

  it("needs nothing but its own files", async () => {
    const version = (await spawnKioku(["--version"])).out;
    expect(version).toMatch(/^\d+\.\d+\.\d+\n$/);
    const elsewhere = join(getFolder(), "package");
    await cp(dirname(kiokuFile), elsewhere, { recursive: true });
    expect(
      await runToEnd(process.execPath, [join(elsewhere, basename(kiokuFile)), "--version"], {
        cwd: getFolder(),
      }),
    ).toMatchObject({
      code: 0,
      out: version,
    });
  });
});

describe("a table", () => {
  it("fits the terminal, counts wide characters as two, and obeys nothing that was stored", async () => {
    const project = fresh("project");
    await remember("記憶は大切なもので、忘れてはいけないことがたくさんあります", "--project", project);
    await remember(
      "Red \u001b[31malert\u001b[0m\u0007 and\nmore 👩‍💻 of a rather long story about it",
      "--project",
      project,
    );
    const { out } = await cli(["list", "--project", project], { env: { COLUMNS: "100" } });
    const rows = out.trimEnd().split("\n");
    expect(rows).toHaveLength(3);
    const japanese = rows.find((row) => row.includes("記")) ?? "";
    expect(japanese.endsWith("…")).toBe(true);
    const wide = [...japanese].filter((character) => character > "\u2fff").length;
    expect([...japanese].length + wide).toBeGreaterThanOrEqual(99);
    expect([...japanese].length + wide).toBeLessThanOrEqual(100);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });

  it("has its texts under the rows where they would be cut short, and its ids whole", async () => {
    const project = fresh("project");
    const text = "The harbour is four metres deep at low tide, and six at high tide";
    const id = await remember(text, "--project", project);
    const { out } = await cli(["list", "--project", project], { env: { COLUMNS: "80" } });
    expect(out).toMatch(new RegExp(`^id +type +status +when *\n${id}  fact  live .*\n  ${text}\n$`));
  });
});

describe("completion", () => {
  it("completes commands, verbs, options and clients in bash", async () => {
    const { out } = await kioku(["completion", "bash"]);
    const complete = async (...words: string[]) => {
      const script = `${out}\nCOMP_WORDS=(kioku "$@"); COMP_CWORD=$#; _kioku; echo "\${COMPREPLY[*]}"`;
      return (await runToEnd("bash", ["-c", script, "bash", ...words], {})).out.trim();
    };
    expect(await complete("rec")).toBe("recall");
    expect(await complete("keys", "")).toBe("create list rotate delete");
    expect(await complete("keys", "create", "--na")).toBe("--name");
    expect(await complete("init", "cu")).toBe("cursor");
    expect(await complete("recall", "x", "--proj")).toBe("--project");
    expect(await complete("recall", "x", "--mode", "")).toBe("text semantic hybrid");
    expect(await complete("privacy", "set", "--mode", "s")).toBe("standard strict");
    expect(await complete("help", "rec")).toBe("recall");
    expect(await complete("completion", "")).toBe("bash zsh fish");
    // The shell completes file names.
    expect(await complete("import", "")).toBe("");
    expect((await kioku(["completion", "tcsh"])).err).toContain("must be bash, zsh, fish");
  });

  it("is written for zsh and fish", async () => {
    const zsh = (await kioku(["completion", "zsh"])).out;
    expect(zsh).toMatch(/^#compdef kioku\n[\s\S]*'recall:Search/);
    expect(zsh.indexOf("autoload -Uz compinit")).toBeLessThan(zsh.indexOf("compdef _kioku"));
    expect(zsh).toContain('"recall "*"--mode") choices=(text semantic hybrid) ;;');
    const fish = (await kioku(["completion", "fish"])).out;
    expect(fish).toContain("complete -c kioku -n __fish_use_subcommand -f -a recall");
    expect(fish).toContain("-n '__fish_seen_subcommand_from recall' -l mode -x -a 'text semantic hybrid'");
    expect(fish).toContain("-n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'");
  });
});

describe("what is wrong is said in one line, with what to do", () => {
  /** The one line on stderr, with nothing on stdout. */
  async function said(call: Promise<Outcome>, code: number): Promise<string> {
    const outcome = await call;
    expect(outcome).toMatchObject({ code, out: "", err: expect.stringMatching(/^kioku: [^\n]+\n$/) });
    return outcome.err;
  }

  it("without a key: how to get one", async () => {
    expect(await said(kioku(["recall", "x"], settings(null)), 1)).toMatch(
      /KIOKU_API_KEY.*kioku-server start/,
    );
    const remote = { KIOKU_URL: "https://kioku.example" };
    expect(await said(kioku(["recall", "x"], settings(null, remote)), 1)).toMatch(
      /No key for https:\/\/kioku.example.*KIOKU_ADMIN_KEY set, kioku keys create/,
    );
  });

  it("with a wrong key, and with a key that may not", async () => {
    expect(await said(kioku(["recall", "x"], settings("kioku_wrong")), 1)).toMatch(
      /not known.*KIOKU_API_KEY/,
    );
    expect(await said(cli(["keys", "list"]), 1)).toMatch(/scope "admin".*KIOKU_ADMIN_KEY/);
  });

  it("when the service is down, or is none", async () => {
    const down = cli(["recall", "x", "--url", await findUnusedAddress()]);
    expect(await said(down, 1)).toMatch(/127\.0\.0\.1:\d+: ECONNREFUSED.*npm start/);
    expect(await said(cli(["recall", "x", "--url", "localhost"]), 2)).toMatch(
      /url: must be the service's address/,
    );
  });

  it("when it cannot write its output", async () => {
    // A stdout that is open for reading only.
    const command = `"${process.execPath}" "${kiokuFile}" help 1< "${kiokuFile}"`;
    expect(await said(runToEnd("sh", ["-c", command], {}), 1)).toBe(
      "kioku: Cannot write to stdout (EBADF).\n",
    );
  });

  it("when the command is not called as it should be", async () => {
    const wrong: [string[], RegExp][] = [
      [["recal"], /no command recal\. Did you mean kioku recall\?/],
      [["lsit"], /no command lsit\. Did you mean kioku list\?/],
      [["xyzzy"], /no command xyzzy\. See: kioku help/],
      [["agents"], /needs one of: erase/],
      [["keys", "crate"], /only: create, list, rotate, delete\. Did you mean kioku keys create\?/],
      [["--json"], /command comes first/],
      [["recall"], /needs <query>/],
      [["recall", "two", "words"], /takes no "words"\. Put the query in quotes: kioku recall "two words"$/m],
      [["show", "x", "y"], /takes no "y"\. See: kioku help show$/m],
      [["recall", " "], /recall needs a <query>.*kioku list$/m],
      [["remember", "x", "--confidence", "7"], /--confidence must be 0 to 1, or high, medium, low; is "7"/],
      [["remember", "x", "--confidence=-1"], /--confidence must be 0 to 1/],
      [["recall", "x", "--modes", "text"], /no option --modes. Did you mean --mode\?/],
      [["recall", "x", "--projcet", "p"], /Did you mean --project\?/],
      [["recall", "x", "--mode"], /--mode needs a value/],
      [["recall", "x", "--mode", "magic"], /text, semantic, hybrid/],
      [["recall", "x", "--limit", "many"], /--limit must be a number/],
      [["recall", "x", "--json=yes"], /--json takes no value/],
      [["remember", "x", "--key", "kioku_abc"], /--api-key/],
    ];
    for (const [args, message] of wrong) expect(await said(cli(args), 2), args.join(" ")).toMatch(message);
  });

  it("when the service refuses a value, and with --verbose the id of the request", async () => {
    expect(await said(cli(["remember", "x", "--type", "magic"]), 2)).toMatch(/type: must be one of: fact/);
    const { code, err } = await cli(["recall", "x", "--limit", "0", "--verbose"]);
    expect(code).toBe(2);
    expect(err).toMatch(/^kioku: limit: .*\nrequest id: [0-9a-f-]{36}\n$/);
  });

  it("when a file is not there, or not what it should be, and nothing is sent", async () => {
    expect(await said(cli(["import", "none.jsonl"]), 1)).toMatch(/Cannot read none.jsonl \(ENOENT\)/);
    expect(await said(cli(["skills", "put", "x", "."]), 1)).toMatch(/is a folder/);
    const lines: [string, RegExp][] = [
      ["", /nothing in the file/],
      ["not json", /Line 1 is not a JSON object/],
      ['{"kind":"kioku","format":9}', /format 9 is not 2/],
      ['{"kind":"kioku","format":1}\n{"kind":"dream"}', /Line 2: kind must be one of memory/],
      ['{"kind":"learning","trigger":"x"}', /Line 1: root_cause is missing/],
      ['{"type":"entity","name":"x"}', /Line 1: entityType is missing/],
    ];
    for (const [input, message] of lines)
      expect(await said(cli(["import", "-"], { input }), 1)).toMatch(message);
  });
});
