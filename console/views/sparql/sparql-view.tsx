// SPARQL: a query with completion, and its answer as a table, a chart, a graph or Turtle.
import type { CallOptions, SparqlResults } from "kioku/client";
import { useRef, useState } from "preact/hooks";
import { CodeBlock } from "../../components/code-block";
import { ErrorNote, WhenLoaded } from "../../components/feedback";
import { SelectField } from "../../components/fields";
import { useAction, useLoad } from "../../state/load";
import { route } from "../../state/router";
import { useConnection } from "../../state/sign-in";
import { SparqlEditor } from "./sparql-editor";
import { SPARQL_EXAMPLES } from "./sparql-examples";
import { SparqlGraph } from "./sparql-graph";
import { SparqlTable } from "./sparql-table";

type SparqlAnswer =
  | { kind: "results"; results: SparqlResults }
  | { kind: "graph"; query: string; infer: boolean; triples: string };

const [[firstExample = "", first] = []] = Object.entries(SPARQL_EXAMPLES);

export function SparqlView() {
  const { kioku } = useConnection();
  const ontology = useLoad((signal) => kioku.ontology({ signal }), []);
  const terms = [...(ontology.value?.classes ?? []), ...(ontology.value?.properties ?? [])].map((term) => ({
    label: `jido:${String(term.name)}`,
    info: String(term.comment ?? ""),
  }));
  const given = route.value.query.query;
  const [example, setExample] = useState(given === undefined ? firstExample : "");
  const [initial, setInitial] = useState(given ?? first?.query ?? "");
  const [infer, setInfer] = useState(given !== undefined || first?.infer === true);
  const [query, setQuery] = useState(initial);
  const [answer, setAnswer] = useState<SparqlAnswer | null>(null);
  const controller = useRef<AbortController | null>(null);
  const ask = async (options: CallOptions): Promise<SparqlAnswer> => {
    const body = { query, infer };
    if (!/\b(CONSTRUCT|DESCRIBE)\b/i.test(query))
      return { kind: "results", results: await kioku.sparql(body, options) };
    const accept = "application/n-triples";
    const triples = await kioku.request("POST", "/v1/sparql", { body, accept, ...options });
    return { kind: "graph", ...body, triples };
  };
  const run = useAction(async () => {
    // The answer of another query would look like the one of this.
    setAnswer(null);
    controller.current = new AbortController();
    const { signal } = controller.current;
    try {
      // A query that takes too long is not sent again.
      setAnswer(await ask({ signal, retries: 0 }));
    } catch (error) {
      // Whoever stops a query knows why there is no answer.
      if (!signal.aborted) throw error;
    }
  });
  const select = (name: string) => {
    setExample(name);
    const selected = SPARQL_EXAMPLES[name];
    if (selected === undefined) return;
    setInitial(selected.query);
    setQuery(selected.query);
    setInfer(selected.infer);
  };
  return (
    <>
      <h1>SPARQL</h1>
      <div class="inline-form">
        <SelectField
          label="Examples"
          value={example}
          options={[
            ...(example === "" ? [["", "choose one"] as const] : []),
            ...Object.keys(SPARQL_EXAMPLES),
          ]}
          change={select}
        />
      </div>
      <SparqlEditor initial={initial} terms={terms} change={setQuery} run={run.run} />
      <p class="actions">
        <button type="button" class="button button-primary" onClick={run.run} disabled={run.isRunning}>
          {run.isRunning ? "Running…" : "Run"}
        </button>
        {run.isRunning && (
          <button type="button" class="button" onClick={() => controller.current?.abort()}>
            Stop
          </button>
        )}
        <label>
          <input
            type="checkbox"
            checked={infer}
            onChange={({ currentTarget }) => setInfer(currentTarget.checked)}
          />{" "}
          with inference
        </label>
        <span class="soft">
          Ctrl+Enter runs it, Ctrl+Space completes. The terms are in the <a href="/ontology">ontology</a>.
        </span>
      </p>
      {run.error !== null && <ErrorNote message={run.error} />}
      {answer?.kind === "graph" && (
        <>
          <SparqlGraph triples={answer.triples} />
          <TurtleFold query={answer.query} infer={answer.infer} />
        </>
      )}
      {answer?.kind === "results" && <Results results={answer.results} />}
    </>
  );
}

/** The Turtle of a graph, read when it is opened. */
function TurtleFold({ query, infer }: { query: string; infer: boolean }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="fold" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <h2>Turtle</h2>
      </summary>
      {isOpen && <Turtle query={query} infer={infer} />}
    </details>
  );
}

function Turtle({ query, infer }: { query: string; infer: boolean }) {
  const { kioku } = useConnection();
  const turtle = useLoad(
    (signal) =>
      kioku.request("POST", "/v1/sparql", { body: { query, infer }, accept: "text/turtle", signal }),
    [query, infer],
  );
  return (
    <WhenLoaded loaded={turtle} what="the Turtle">
      {(text) => <CodeBlock code={text} label="The graph as Turtle" />}
    </WhenLoaded>
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
