// Types for the tests; the benchmark itself is plain JavaScript.

interface Turn {
  readonly id: string;
  readonly session: number;
  readonly speaker: string;
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly at: number;
}

interface Question {
  readonly conversation: string;
  readonly number: number;
  readonly query: string;
  readonly category: string;
  readonly level: "turn" | "session";
  readonly evidence: readonly (string | number)[];
  readonly before: number | null;
}

interface Conversation {
  readonly id: string;
  readonly sessions: readonly {
    readonly number: number;
    readonly at: number;
    readonly turns: readonly Turn[];
  }[];
  readonly ordered: boolean;
  readonly questions: readonly Question[];
}

export function readConversations(path: string): Promise<Conversation[]>;
export function toConversation(data: object): Conversation;
export function parseDate(text: string): number;
export function spread<T>(items: readonly T[], count: number): readonly T[];
export function safeId(text: string): string;
export function cutBytes(text: string, bytes: number): string;
export function cutChars(text: string, count: number): string;
