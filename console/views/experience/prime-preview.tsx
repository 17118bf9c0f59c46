// The briefing that an agent would get before a task.
import type { PrimeAnswer } from "kioku/client";
import { useState } from "preact/hooks";
import { BudgetBar } from "../../components/bars";
import { CodeBlock } from "../../components/code-block";
import { ErrorNote } from "../../components/feedback";
import { useAction } from "../../state/load";
import { useConnection } from "../../state/sign-in";

export function PrimePreview({ project }: { project: string }) {
  const { kioku } = useConnection();
  const [goal, setGoal] = useState("");
  const [answer, setAnswer] = useState<PrimeAnswer | null>(null);
  const prime = useAction(async () => {
    setAnswer(await kioku.prime({ goal: goal.trim(), ...(project ? { project_id: project } : {}) }));
  });
  return (
    <>
      <form
        class="inline-form"
        onSubmit={(event) => {
          event.preventDefault();
          prime.run();
        }}
      >
        <label class="field">
          <span class="field-label">Goal of the task</span>
          <input required value={goal} onInput={({ currentTarget }) => setGoal(currentTarget.value)} />
        </label>
        <button type="submit" class="button" disabled={prime.isRunning}>
          {prime.isRunning ? "Asking…" : "Brief"}
        </button>
      </form>
      {prime.error !== null && <ErrorNote message={prime.error} />}
      {answer !== null &&
        (answer.prompt === "" ? (
          <p class="soft">Nothing that is known applies to it.</p>
        ) : (
          <>
            <BudgetBar label="tokens" used={answer.tokens.used} total={answer.tokens.budget} />
            <CodeBlock code={answer.prompt} label="The briefing" />
          </>
        ))}
    </>
  );
}
