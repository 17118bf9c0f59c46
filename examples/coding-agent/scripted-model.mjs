// Plays the part of a language model, so that the example runs offline. It knows one trick, Number(), and does not think
// of it before it has seen the error, unless the briefing names it.

const TRICK = "Convert the input with Number() first";

export function createScriptedModel() {
  let calls = 0;
  const call = (name, args) => {
    calls += 1;
    const id = `call-${calls}`;
    return {
      role: "assistant",
      content: "",
      tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(args) } }],
    };
  };

  return {
    async complete(messages) {
      const [system, user] = messages;
      const test = /\S+\.test\.mjs/.exec(user.content)?.[0] ?? "";
      const file = test.replace(".test.mjs", ".mjs");
      const results = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
      const last = results.at(-1);
      if (last?.startsWith("pass"))
        return call("finish", { outcome: "success", errors: listErrors(results) });
      if (last?.startsWith("export")) return call("write_file", { path: file, content: repair(last) });
      if (last?.startsWith("wrote")) return call("run_tests", { path: test });
      if (last === undefined && !system.content.includes("Number()"))
        return call("run_tests", { path: test });
      if (results.length < 6) return call("read_file", { path: file });
      return call("finish", { outcome: "failure" });
    },
  };
}

function repair(code) {
  return code.replace(/\b(price)\b(?=\.toFixed| \*)/g, "Number($1)");
}

function listErrors(results) {
  return results
    .map((result) => /(\w*Error): (.*)/.exec(result))
    .filter((found) => found !== null)
    .map(([, type, message]) => ({ type, message, resolution: TRICK }));
}
