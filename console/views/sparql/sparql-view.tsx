// SPARQL: a query with completion, and its answer as a table, a chart or Turtle.
import type { SparqlResults } from "kioku/client";
import { useState } from "preact/hooks";
import { CodeBlock } from "../../components/code-block";
import { ErrorNote } from "../../components/feedback";
import { SelectField } from "../../components/fields";
import { useAction, useLoad } from "../../state/load";
import { route } from "../../state/router";
import { useConnection } from "../../state/sign-in";
import { SparqlEditor } from "./sparql-editor";
import { SPARQL_EXAMPLES } from "./sparql-examples";
import { SparqlTable } from "./sparql-table";

type SparqlAnswer = { kind: "results"; results: SparqlResults } | { kind: "graph"; turtle: string };

const [[firstExample = "", firstQuery = ""] = []] = Object.entries(SPARQL_EXAMPLES);

export function SparqlView() {
  const { kioku } = useConnection();
  const ontology = useLoad((signal) => kioku.ontology({ signal }), []);
  const terms = [...(ontology.value?.classes ?? []), ...(ontology.value?.properties ?? [])].map((term) => ({
    label: `jido:${String(term.name)}`,
    info: String(term.comment ?? ""),
  }));
  const given = route.value.query.query;
  const [example, setExample] = useState(given === undefined ? firstExample : "");
  const [initial, setInitial] = useState(given ?? firstQuery);
  const [query, setQuery] = useState(initial);
  const [answer, setAnswer] = useState<SparqlAnswer | null>(null);
  const run = useAction(async () => {
    if (/\b(CONSTRUCT|DESCRIBE)\b/i.test(query)) {
      const turtle = await kioku.request("POST", "/v1/sparql", { body: { query }, accept: "text/turtle" });
      setAnswer({ kind: "graph", turtle });
    } else setAnswer({ kind: "results", results: await kioku.sparql({ query }) });
  });
  const select = (name: string) => {
    setExample(name);
    const text = SPARQL_EXAMPLES[name] ?? "";
    setInitial(text);
    setQuery(text);
  };
  return (
    <>
      <h1>SPARQL</h1>
      <div class="inline-form">
        <SelectField
          label="Examples"
          value={example}
          options={Object.keys(SPARQL_EXAMPLES)}
          change={select}
        />
      </div>
      <SparqlEditor initial={initial} terms={terms} change={setQuery} run={run.run} />
      <p class="actions">
        <button type="button" class="button button-primary" onClick={run.run} disabled={run.isRunning}>
          {run.isRunning ? "Running…" : "Run"}
        </button>
        <span class="soft">
          Ctrl+Enter runs it, Ctrl+Space completes. The terms are in the <a href="/ontology">ontology</a>.
        </span>
      </p>
      {run.error !== null && <ErrorNote message={run.error} />}
      {answer?.kind === "graph" && <CodeBlock code={answer.turtle} label="The graph as Turtle" />}
      {answer?.kind === "results" && <Results results={answer.results} />}
    </>
  );
}

function Results({ results }: { results: SparqlResults }) {
  if (results.boolean !== undefined)
    return (
      <p class="note" role="status">
        {results.boolean ? "Yes" : "No"}
      </p>
    );
  return <SparqlTable names={results.head.vars ?? []} rows={results.results?.bindings ?? []} />;
}
