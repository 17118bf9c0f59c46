// The frame of the console: sign-in, navigation, and the current view.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { route, toHref } from "./state/router";
import { connection, hasScope, signOut } from "./state/sign-in";
import { selectTheme, THEMES, theme } from "./state/theme";
import { SignInView } from "./views/sign-in-view";
import { findView, VIEWS } from "./views/view-registry";

const isOnline = signal(navigator.onLine);
window.addEventListener("online", () => {
  isOnline.value = true;
});
window.addEventListener("offline", () => {
  isOnline.value = false;
});

export function App() {
  if (connection.value === null) return <SignInView />;
  return <Frame />;
}

function Frame() {
  const { path } = route.value;
  // The admin key belongs to no tenant: it has nothing to show but the administration.
  const view = findView(connection.value?.own.tenant === null ? ["admin"] : path);
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const place = path.join("/");

  // A screen reader and the keyboard follow to the new view.
  useEffect(() => {
    document.title = `${view.title} · Kioku`;
    if (isFirst.current) isFirst.current = false;
    else main.current?.focus();
  }, [place, view.title]);

  return (
    <div class="frame">
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <Navigation current={view.name} />
      {!isOnline.value && (
        <p class="offline" role="status">
          You are offline. What is on the page stays; nothing new is loaded.
        </p>
      )}
      <main id="main" ref={main} tabIndex={-1}>
        <view.component key={view.name} />
      </main>
    </div>
  );
}

function Navigation({ current }: { current: string }) {
  const own = connection.value?.own;
  const views = VIEWS.filter(({ scope }) => hasScope(scope) && (scope === "admin" || own?.tenant !== null));
  return (
    <header class="navigation">
      <a class="brand" href={toHref([])}>
        Kioku <span lang="ja">記憶</span>
      </a>
      <nav aria-label="Views">
        <ul>
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
        <p class="tenant">
          {own?.tenant === null ? (
            "admin key"
          ) : (
            <>
              tenant <strong>{own?.tenant}</strong>
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
