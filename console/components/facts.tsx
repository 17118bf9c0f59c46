// Names with their values, such as the properties of a memory.
import { LongText } from "./long-text";

/** A fact without a value is left out. */
export type Fact = readonly [name: string, value: string | null | undefined];

export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(
        ([name, value]) =>
          value && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <LongText>{value}</LongText>
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}
