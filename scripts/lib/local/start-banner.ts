// What a started service prints: its address and key, and first calls that work as printed.

export interface BannerDetails {
  url: string;
  key: string;
  /** Files as the user knows them. */
  shownDevVars: string;
  shownDir: string;
  verbose: boolean;
}

export function renderBanner({ url, key, shownDevVars, shownDir, verbose }: BannerDetails): string {
  const bold = (text: string) => (process.stdout.isTTY ? `\u001b[1m${text}\u001b[22m` : text);
  const renderCall = (path: string, body: object) =>
    `curl -sS ${url}${path} -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  return `
  ${bold("Kioku")} is ready at ${bold(url)}

    tenant   local
    key      ${key}
    console  ${url}/#key=${key}
    docs     ${url}/docs
    admin    ADMIN_KEY in ${shownDevVars}
    data     ${shownDir}

  For programs and the command line:

${renderEnvironment({ KIOKU_URL: url, KIOKU_API_KEY: key })}

  Remember something, then ask for it:

${renderCall("/v1/sessions/demo/remember", { content: "The project uses Phoenix 1.7", type: "fact" })}

${renderCall("/v1/sessions/demo/recall", { query: "Phoenix" })}

  Ctrl-C stops it; the data stays.${verbose ? "" : " --verbose shows the log of every request."}
`;
}

function renderEnvironment(variables: Readonly<Record<string, string>>): string {
  const entries = Object.entries(variables);
  if (process.platform === "win32")
    return entries.map(([name, value]) => `$env:${name}="${value}"`).join("; ");
  return `export ${entries.map(([name, value]) => `${name}=${value}`).join(" ")}`;
}
