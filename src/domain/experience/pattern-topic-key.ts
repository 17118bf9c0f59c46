// The name that a caller gave a pattern: the topic under which it stands.

const NAME = "pattern:";

export function nameKey(name: string): string {
  return NAME + name;
}

/** Null for a topic of another kind, and for none. */
export function nameIn(topicKey: string | null): string | null {
  return topicKey?.startsWith(NAME) ? topicKey.slice(NAME.length) : null;
}
