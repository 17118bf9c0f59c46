// The theme: that of the system, or the one that the user has chosen, which is kept in this browser.
import { signal } from "@preact/signals";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const STORED_THEME = "kioku.theme";

export const theme = signal<Theme>(readTheme());

export function applyTheme(): void {
  if (theme.value === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
}

export function selectTheme(selected: Theme): void {
  theme.value = selected;
  localStorage.setItem(STORED_THEME, selected);
  applyTheme();
}

function readTheme(): Theme {
  const stored = localStorage.getItem(STORED_THEME);
  return THEMES.find((one) => one === stored) ?? "system";
}
