// Signing in: pasting a key, which stays in this tab.
import { useState } from "preact/hooks";
import { BrandName } from "../components/brand";
import { signIn, signInStatus } from "../state/sign-in";

export function SignInView() {
  const [key, setKey] = useState("");
  const status = signInStatus.value;
  const isChecking = status.kind === "checking";
  return (
    <main class="sign-in">
      <h1>
        <BrandName />
      </h1>
      <p class="lead">See what an agent remembers, and why.</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void signIn(key.trim());
        }}
      >
        <label class="field">
          <span class="field-label">API key</span>
          <input
            type="password"
            value={key}
            onInput={({ currentTarget }) => setKey(currentTarget.value)}
            autoComplete="off"
            spellcheck={false}
            placeholder="kioku_…"
            required
            aria-describedby="sign-in-help"
          />
        </label>
        {status.kind === "refused" && (
          <p class="note note-danger" role="alert">
            {status.message}
          </p>
        )}
        <button type="submit" class="button button-primary" disabled={isChecking}>
          {isChecking ? "Checking…" : "Sign in"}
        </button>
      </form>
      <p id="sign-in-help" class="soft">
        <code>npm start</code> prints a key and a link that signs in. The key stays in this tab and is sent to
        this service only.
      </p>
      <p class="soft">
        <a href="/docs">API reference</a> · <a href="/ontology">Ontology</a>
      </p>
    </main>
  );
}
