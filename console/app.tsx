// The frame of the console: sign-in, navigation, and the current view.
import { signal } from "@preact/signals";
import type { OwnKey } from "kioku/client";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { BrandName } from "./components/brand";
import { EmptyState } from "./components/feedback";
import { route, toHref } from "./state/router";
import { connection, signOut } from "./state/sign-in";
import { selectTheme, THEMES, theme } from "./state/theme";
import { formatTitle } from "./state/title";
import { SignInView } from "./views/sign-in-view";
import { findView, isOffered, VIEWS } from "./views/view-registry";

const isOnline = signal(navigator.onLine);
window.addEventListener("online", () => {
  isOnline.value = true;
});
window.addEventListener("offline", () => {
  isOnline.value = false;
});

export function App() {
  if (connection.value === null) return <SignInView />;
  return <Frame own={connection.value.own} />;
}

function Frame({ own }: { own: OwnKey }) {
  const { path } = route.value;
  // The admin key belongs to no tenant: it has nothing to show but the administration.
  const view = findView(own.tenant === null ? ["admin"] : path);
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const place = path.join("/");

  // Before the effects of the view, which may name its item instead.
  useLayoutEffect(() => {
    document.title = formatTitle(view.title);
  }, [place, view.title]);
  // A screen reader and the keyboard follow to the new view.
  useEffect(() => {
    if (isFirst.current) isFirst.current = false;
    else main.current?.focus();
  }, [place]);

  return (
    <div class="frame">
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <Navigation current={view.name} own={own} />
      {!isOnline.value && (
        <p class="offline" role="status">
          You are offline. What is on the page stays; nothing new is loaded.
        </p>
      )}
      <main id="main" ref={main} tabIndex={-1}>
        {isOffered(view, own) ? <view.component key={view.name} /> : <NotOffered view={view} />}
      </main>
    </div>
  );
}

function NotOffered({ view: { title, scope } }: { view: ReturnType<typeof findView> }) {
  return (
    <>
      <h1>{title}</h1>
      <EmptyState title="This key does not show it">
        <p>Sign in with a key that has the scope {scope} and is not bound to a user.</p>
      </EmptyState>
    </>
  );
}

function Navigation({ current, own }: { current: string; own: OwnKey }) {
  const list = useRef<HTMLUListElement>(null);
  // On narrow screens the list scrolls.
  useEffect(() => {
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
  }, [current]);
  const views = VIEWS.filter((view) => isOffered(view, own));
  return (
    <header class="navigation">
      <a class="brand" href={toHref([])}>
        <BrandName />
      </a>
      <nav aria-label="Views">
        <ul ref={list}>
          {views.map(({ name, title, path }) => (
            <li key={name}>
              <a href={toHref(path)} aria-current={name === current ? "page" : undefined}>
                {title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="navigation-foot">
        <label class="field">
          <span class="field-label">Theme</span>
          <select
            value={theme.value}
            onChange={({ currentTarget }) => selectTheme(currentTarget.value as (typeof THEMES)[number])}
          >
            {THEMES.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <p class="references">
          <a href="/docs">API reference</a>
          <a href="/ontology">Ontology</a>
        </p>
        <p class="tenant">
          {own.tenant === null ? (
            "admin key"
          ) : (
            <>
              tenant <strong>{own.tenant}</strong>
              {Object.values(own.bind ?? {}).map((id) => (
                <span key={id}>, bound to {id}</span>
              ))}
            </>
          )}
        </p>
        <button type="button" class="button" onClick={() => signOut()}>
          Sign out
        </button>
      </div>
    </header>
  );
}
