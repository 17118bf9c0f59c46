// Types for the tests; the benchmark itself is plain JavaScript.

interface Episode {
  readonly id: string;
  readonly project_id: string;
  readonly timestamp: string;
  readonly context: { readonly goal: string };
  readonly outcome: "success" | "failure";
  readonly errors_encountered: readonly { readonly type: string }[];
}

export const MORNING: string;
export const EVENING: string;
export function episodeAt(index: number, count: number, project: string): Episode;
export function taskAt(index: number): string;
