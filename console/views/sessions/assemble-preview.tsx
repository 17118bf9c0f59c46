// Shows exactly what a model would get for the next turn.
import type { AssembleAnswer } from "kioku/client";
import { useState } from "preact/hooks";
import { BudgetBar } from "../../components/bars";
import { CodeBlock } from "../../components/code-block";
import { ErrorNote } from "../../components/feedback";
import { formatName } from "../../state/format";
import { useAction } from "../../state/load";
import { useConnection } from "../../state/sign-in";

export function AssemblePreview({ id, budget }: { id: string; budget: number }) {
  const { kioku } = useConnection();
  const [query, setQuery] = useState("");
  const [tokens, setTokens] = useState(String(budget));
  const [answer, setAnswer] = useState<AssembleAnswer | null>(null);
  const assemble = useAction(async () => {
    setAnswer(
      await kioku.session(id).assemble({
        ...(query.trim() === "" ? {} : { query: query.trim() }),
        ...(tokens === "" ? {} : { token_budget: Number(tokens) }),
      }),
    );
  });
  return (
    <section>
      <h2>What the model would get</h2>
      <form
        class="inline-form"
        onSubmit={(event) => {
          event.preventDefault();
          assemble.run();
        }}
      >
        <label class="field">
          <span class="field-label">Topic of the next turn</span>
          <input value={query} onInput={({ currentTarget }) => setQuery(currentTarget.value)} />
        </label>
        <label class="field field-narrow">
          <span class="field-label">Tokens</span>
          <input
            type="number"
            min="1"
            value={tokens}
            onInput={({ currentTarget }) => setTokens(currentTarget.value)}
          />
        </label>
        <button type="submit" class="button" disabled={assemble.isRunning}>
          {assemble.isRunning ? "Assembling…" : "Assemble"}
        </button>
      </form>
      {assemble.error !== null && <ErrorNote message={assemble.error} />}
      {answer !== null && <AssembledContext answer={answer} />}
    </section>
  );
}

function AssembledContext({ answer }: { answer: AssembleAnswer }) {
  const { prompt, tokens, left_out } = answer;
  return (
    <>
      <div class="bars">
        <BudgetBar label="total" used={tokens.total} total={tokens.budget} />
        <BudgetBar label="conversation" used={tokens.conversation} total={tokens.budget} />
        <BudgetBar label="working context" used={tokens.working} total={tokens.budget} />
        <BudgetBar label="long-term memory" used={tokens.long_term} total={tokens.budget} />
      </div>
      {prompt === "" ? (
        <p class="soft">Nothing but the messages above: there is no context or memory to add.</p>
      ) : (
        <CodeBlock code={prompt} label="The prompt" />
      )}
      {left_out.length > 0 && (
        <details>
          <summary>{left_out.length} left out</summary>
          <ul class="plain">
            {left_out.map(({ part, id, reason }) => (
              <li key={`${part} ${id}`}>
                {formatName(part)} <code>{id}</code>: {reason}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
